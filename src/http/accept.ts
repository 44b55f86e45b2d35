interface MediaRange {
  readonly name: string;
  readonly weight: number;
}

/** Whether an Accept header names exactly this media type; a wildcard does not count. */
export function accepts(header: string | undefined, mediaType: string): boolean {
  return readRanges(header).some(({ name, weight }) => name === mediaType && weight > 0);
}

/**
 * The media type, of those on offer, that an Accept header prefers: by weight, then the one that is named more
 * exactly, then the one that is named first. The first one on offer where it has no preference.
 *
 * @see RFC 9110 section 12.5.1
 */
export function preferredOf<Type extends string>(
  header: string | undefined,
  offers: readonly [Type, ...Type[]],
): Type {
  const ranges = readRanges(header);
  const rated = offers.map((offer, place) => ({ offer, place, ...rate(offer, ranges) }));
  rated.sort(
    (a, b) => b.weight - a.weight || b.exactness - a.exactness || a.named - b.named || a.place - b.place,
  );
  return rated[0]?.offer ?? offers[0];
}

/** The most exact range that a type falls under decides. */
function rate(offer: string, ranges: readonly MediaRange[]) {
  const [family = ''] = offer.split('/');
  for (const [index, wanted] of [offer, `${family}/*`, '*/*'].entries()) {
    const named = ranges.findIndex(({ name }) => name === wanted);
    const range = ranges[named];
    if (range !== undefined) return { weight: range.weight, exactness: 2 - index, named };
  }
  return { weight: 0, exactness: 0, named: ranges.length };
}

function readRanges(header = ''): MediaRange[] {
  return header.split(',').map((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => /^q=/.test(parameter))?.slice(2);
    return { name, weight: weight === undefined ? 1 : readWeight(weight) };
  });
}

/** A weight that is none is passed over, as if it were not there. */
function readWeight(text: string): number {
  return /^(0(\.\d*)?|1(\.0*)?)$/.test(text) ? Number(text) : 1;
}
