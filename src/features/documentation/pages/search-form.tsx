/** Greatest length of a search, in characters. */
export const searchLength = 100;

/** Searches the reference. */
export function SearchForm({ query }: { query: string }) {
  return (
    <search>
      <form class="search" action="/docs/search">
        <div>
          <label for="q">Search the reference</label>
          <input type="search" id="q" name="q" value={query} maxLength={searchLength} required />
        </div>
        <button type="submit" class="quiet">
          Search
        </button>
      </form>
    </search>
  );
}
