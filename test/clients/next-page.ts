/** What to ask for to get the page whose address is `links.next`; `undefined` after the last one. */
export function nextPage({ next }: { next: string | null }) {
  if (next === null) return undefined;
  const query = new URL(next).searchParams;
  return {
    'page[number]': Number(query.get('page[number]')),
    'page[size]': Number(query.get('page[size]')),
    'page[after]': String(query.get('page[after]')),
  };
}
