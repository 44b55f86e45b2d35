import type { Fields } from './fields.js';

const highestPage = 1_000_000;

/** Page number of a query, from 1; 1 when it is missing or invalid. */
export function pageNumber(query: Fields): number {
  const text = query.text('page');
  const number = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
  return Math.min(number, highestPage);
}

/** Number of the last page of a list. */
export function lastPage(count: number, size: number): number {
  return Math.max(1, Math.ceil(count / size));
}

export function Pager({
  number,
  last,
  address,
}: {
  number: number;
  last: number;
  /** Path and query of the page with this number. */
  address: (number: number) => string;
}) {
  if (last === 1) return null;
  return (
    <nav aria-label="Pages" class="pager">
      {number > 1 && (
        <a href={address(number - 1)} rel="prev">
          ‹ Previous
        </a>
      )}
      <span>
        Page {number} of {last}
      </span>
      {number < last && (
        <a href={address(number + 1)} rel="next">
          Next ›
        </a>
      )}
    </nav>
  );
}

/** The last row of a page of a list by time. The next page begins after it. */
interface TimeCursor {
  readonly at: Date;
  readonly id: string;
}

export function formatTimeCursor({ at, id }: TimeCursor): string {
  return `${at.getTime()}-${id}`;
}

/** Parses the cursor of a page; `undefined`, for the first page, when it is missing or invalid. */
export function readTimeCursor(text: string): TimeCursor | undefined {
  const [, time, id] = /^(\d{1,15})-([a-z0-9]{1,64})$/.exec(text) ?? [];
  if (time === undefined || id === undefined || Number(time) > latestTime) return undefined;
  return { at: new Date(Number(time)), id };
}

const latestTime = Date.UTC(9999, 11, 31);

/** Links of a list without page numbers: to its start, and to the page after the last row. */
export function CursorPager({
  first,
  next,
  newestFirst = false,
}: {
  /** Address of the first page; absent on it. */
  first: string | undefined;
  /** Address of the next page; absent on the last one. */
  next: string | undefined;
  newestFirst?: boolean;
}) {
  if (first === undefined && next === undefined) return null;
  return (
    <nav aria-label="Pages" class="pager">
      {first !== undefined && <a href={first}>« {newestFirst ? 'Newest' : 'First'}</a>}
      {next !== undefined && (
        <a href={next} rel="next">
          {newestFirst ? 'Older' : 'Next'} ›
        </a>
      )}
    </nav>
  );
}
