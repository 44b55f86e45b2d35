/** A value of a group key; `null` for employees without a value. */
export type ChartValue =
  | { readonly value: string | null }
  /** All other values, and their number. */
  | { readonly others: number };

/** Data of a chart: numbers of employees. */
export interface ChartData {
  readonly bars: readonly ChartValue[];
  /** The parts of each bar; one when the report has one group key. */
  readonly stacks: readonly ChartValue[];
  /** Number of employees of each part of each bar. */
  readonly counts: readonly (readonly number[])[];
}

/** A row of the query: positions of a bar and of a part of it, their values, and the number of employees. */
export interface ChartRow {
  readonly bar: number;
  readonly stack: number;
  readonly bar_value: string | null;
  readonly stack_value: string | null;
  /** The highest positions of the combined values. */
  readonly bars: number;
  readonly stacks: number;
  readonly size: string;
}

/** Longest period of which the years without employees are shown. */
const maximumYears = 40;

/** @param options.combined position of the combined values */
export function chartData(
  rows: readonly ChartRow[],
  { combined, byYear }: { combined: number; byYear: boolean },
): ChartData {
  const bars = new Map<number, ChartValue>();
  const stacks = new Map<number, ChartValue>();
  const sizes = new Map<string, number>();
  const others = { bars: 0, stacks: 0 };
  for (const row of rows) {
    others.bars = Math.max(others.bars, row.bars - combined + 1);
    others.stacks = Math.max(others.stacks, row.stacks - combined + 1);
    bars.set(row.bar, row.bar === combined ? { others: others.bars } : { value: row.bar_value });
    stacks.set(row.stack, row.stack === combined ? { others: others.stacks } : { value: row.stack_value });
    sizes.set(`${row.bar} ${row.stack}`, Number(row.size));
  }
  const stackOrder = [...stacks.keys()].sort((one, other) => one - other);
  const order = [...bars.keys()].sort((one, other) => (byYear ? other - one : one - other));
  const shown = order.map((bar): [ChartValue, number[]] => [
    bars.get(bar) ?? { value: null },
    stackOrder.map((stack) => sizes.get(`${bar} ${stack}`) ?? 0),
  ]);
  const complete = byYear ? withEmptyYears(shown, stackOrder.length) : shown;
  return {
    bars: complete.map(([value]) => value),
    stacks: stackOrder.map((stack) => stacks.get(stack) ?? { value: null }),
    counts: complete.map(([, counts]) => counts),
  };
}

/** Adds the years in which no employee was hired, unless the period is long. */
function withEmptyYears(bars: readonly [ChartValue, number[]][], parts: number): [ChartValue, number[]][] {
  const years = new Map(
    bars.flatMap(([bar, counts]) =>
      'value' in bar && bar.value !== null ? [[Number(bar.value), counts] as const] : [],
    ),
  );
  const [first = 0, last = 0] = [Math.min(...years.keys()), Math.max(...years.keys())];
  if (years.size === 0 || last - first >= maximumYears) return [...bars];
  const isYear = ([bar]: [ChartValue, number[]]) => 'value' in bar && bar.value !== null;
  const start = bars.findIndex(isYear);
  const all = Array.from({ length: last - first + 1 }, (_, index): [ChartValue, number[]] => {
    const year = first + index;
    return [{ value: String(year) }, years.get(year) ?? new Array<number>(parts).fill(0)];
  });
  return [...bars.slice(0, start), ...all, ...bars.slice(start + years.size)];
}
