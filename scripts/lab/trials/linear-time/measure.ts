import type { Verdict } from '../verdict.js';

/** A function that parses untrusted text, and the maximum size of its input. */
export interface Reader {
  readonly name: string;
  /** Number of characters of the text. */
  readonly size: number;
  readonly read: (text: string) => unknown;
  /** The unit that is repeated in an ordinary text of the same size. Default: a letter. */
  readonly normal?: string;
  /** The shapes of text to test. Default: all. */
  readonly shapes?: 'all' | 'some' | 'own';
  /** Additional units to repeat, and complete texts. */
  readonly units?: readonly string[];
  readonly texts?: readonly string[];
  /** Whether a text can reach the parser. Default: always. */
  readonly accepts?: (text: string) => boolean;
}

/** Node.js rejects other characters in headers and URLs. */
export function isHeaderText(text: string): boolean {
  return /^[\t -~\u0080-\u00FF]*$/.test(text);
}

interface Measured {
  readonly reader: Reader;
  readonly normalMs: number;
  readonly worstMs: number;
  readonly worst: string;
}

/** Maximum ratio of the time for a text to the time for an ordinary text of the same size. */
const maximumRatio = 20;

/**
 * Shorter times are not compared, because they depend on the clock, garbage collection and other processes. Work that is
 * quadratic in 16 KiB takes several times as long.
 */
const floorMs = 10;

/** A text that takes longer than this is not measured again. */
const slowMs = 3_000;

/**
 * Long times are measured less often, because noise affects them less. In the short form, times do not decide.
 */
const repetitionsFor = (ms: number, short: boolean) => {
  if (short) return 1;
  return ms < 20 ? 7 : 3;
};

/** Units that parsers and patterns treat specially. */
const someUnits = [
  ...'a0 %"\\/.-,;=&+[{<@:\n\u0000é中\u{1F600}',
  '\uD800',
  ...['%20', '%zz', '%E2%82%AC', '%CC%81%CC%96', 'a,', 'a;', 'a=1&', '../', '""', 'W/"'],
];
const moreUnits = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  ...'\t\r\u007F\u00A0\uFFFD',
  ...'\r\n a& =& %ff %25 +%2B ", \\" [[ [] {"a": [1, "a":1, ./ // a/ /. -a a- ,-a .a :: :1 1. 1: q=1, ;q=0.5, */*,'.split(
    ' ',
  ),
  ...[' a', 'a ', '  ,', '" , ', 'a/b;', 'a@', '@a', 'a.', '{{', 'http://', '&amp;'],
];

/** Endings that make a pattern reject a text that it has almost matched. */
const suffixes = ['', '!', '\n'];

/** Characters that normalization reorders. */
const combiningMarks = (size: number) => '\u0301'.repeat(size / 2) + '\u0316'.repeat(size / 2);

function repeat(unit: string, size: number): string {
  return unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
}

function* textsFor({ size, shapes = 'all', texts = [], units = [] }: Reader): Iterable<string> {
  yield* texts;
  const general = { own: [], some: someUnits, all: [...someUnits, ...moreUnits] }[shapes];
  for (const unit of new Set([...units, ...general])) {
    for (const suffix of shapes === 'all' ? suffixes : suffixes.slice(0, 2)) {
      yield repeat(unit, size - suffix.length) + suffix;
    }
    if (unit.length === 1 && shapes === 'all') yield `a${repeat(unit, size - 2)}a`;
  }
  if (shapes !== 'own') yield combiningMarks(size);
}

/**
 * Checks that no text of a size takes a parser twenty times as long as an ordinary text of that size, and prints the
 * measurements. The short form measures only a few texts.
 */
export async function checkLinearTime(
  readers: Iterable<Reader>,
  { short, verdict }: { short: boolean; verdict: Verdict },
): Promise<void> {
  verdict.note('reader | characters | normal µs | worst µs | ratio | worst text');
  for (const reader of readers) {
    let measured = await measure(reader, short);
    if (isTooSlow(measured) && !short) measured = await measure(reader, short);
    verdict.checkTime(rowOf(measured), !isTooSlow(measured));
  }
}

function isTooSlow({ normalMs, worstMs }: Measured): boolean {
  return worstMs >= Math.max(maximumRatio * normalMs, floorMs);
}

async function measure(reader: Reader, short: boolean): Promise<Measured> {
  const { size, read, normal = 'a', accepts = () => true } = reader;
  const normalText = repeat(normal, size);
  await timeOf(read, normalText);
  const normalMs = await shortestTime(read, normalText, { firstMs: await timeOf(read, normalText), short });
  const seen: { text: string; ms: number }[] = [];
  for (const text of short ? [...textsFor(reader)].slice(0, 3) : textsFor(reader)) {
    if (!accepts(text)) continue;
    const ms = await timeOf(read, text);
    seen.push({ text, ms });
    if (ms > slowMs) break;
  }
  seen.sort((a, b) => b.ms - a.ms);
  let worst = { text: '', ms: 0 };
  for (const { text, ms } of seen.slice(0, 3)) {
    const again = ms > slowMs ? ms : await shortestTime(read, text, { firstMs: ms, short });
    if (again > worst.ms) worst = { text, ms: again };
  }
  return { reader, normalMs, worstMs: worst.ms, worst: worst.text };
}

/**
 * The shortest of several times. Garbage collection and compilation, also in other threads, only add to a time, and each
 * repetition does all of the work that depends on the text.
 */
async function shortestTime(
  read: Reader['read'],
  text: string,
  { firstMs, short }: { firstMs: number; short: boolean },
): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < repetitionsFor(firstMs, short); round += 1) {
    shortest = Math.min(shortest, await timeOf(read, text));
  }
  return shortest;
}

async function timeOf(read: Reader['read'], text: string): Promise<number> {
  const started = performance.now();
  try {
    const result = read(text);
    // Awaiting a value that is not a promise would add a microtask to the time.
    if (typeof result === 'object' && result !== null && 'then' in result) await result;
  } catch {
    // Rejecting a text must be as fast as accepting it.
  }
  return performance.now() - started;
}

function rowOf({ reader, normalMs, worstMs, worst }: Measured): string {
  const micro = (ms: number) => Math.round(ms * 1000);
  const ratio = (worstMs / Math.max(normalMs, 0.001)).toFixed(1);
  const shown = JSON.stringify(worst.slice(0, 12) + (worst.length > 24 ? `…${worst.slice(-8)}` : ''));
  return `${reader.name} | ${worst.length} | ${micro(normalMs)} | ${micro(worstMs)} | ${ratio} | ${shown}`;
}
