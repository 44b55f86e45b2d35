import { type Series as StackedSeries, stack } from 'd3-shape';
import { numberText } from '../../counted.js';

/** One of the numbers of each bar. It has its own colour and pattern. */
export interface ChartSeries {
  readonly label: string;
  /** Number of the colour and pattern, from 0 to 35. Default: the position of the series. */
  readonly tone?: number;
}

/** A bar, with a value for each series. */
export interface ChartBar {
  /** Identifies the bar within the chart. */
  readonly key: string;
  readonly label: string;
  /** Not negative. */
  readonly values: readonly number[];
  /** Share of the whole, which is shown beside the number. */
  readonly share?: string;
  /** Text of all values. Default: {@link textOf}. */
  readonly text?: string;
  /** Address of what the bar counts. */
  readonly href?: string;
}

/** Number of colours, and of patterns. */
export const colourCount = 6;

/** Number of combinations of a colour and a pattern. Further series repeat them. */
const toneCount = colourCount ** 2;

/** A part of a bar: the range of values that it covers. */
interface Segment {
  readonly tone: number;
  readonly from: number;
  readonly to: number;
}

/** Stacks the values of each bar. Parts without a length are omitted. */
export function segmentsOf(bars: readonly ChartBar[], series: readonly ChartSeries[]): Segment[][] {
  const layers: StackedSeries<ChartBar, number>[] = stack<unknown, ChartBar, number>()
    .keys(series.map((_, index) => index))
    .value(({ values }, index) => values[index] ?? 0)([...bars]);
  return bars.map((_, bar) =>
    layers
      .map((layer, index) => {
        const [from = 0, to = 0] = layer[bar] ?? [];
        return { tone: toneOf(series, index), from, to };
      })
      .filter(({ from, to }) => to > from),
  );
}

export function toneOf(series: readonly ChartSeries[], index: number): number {
  return (series[index]?.tone ?? index) % toneCount;
}

export function totalOf({ values }: Pick<ChartBar, 'values'>): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Text of all values of a bar, such as "20 Nov: 310 without error, 2 errors". */
export function textOf(bar: ChartBar, series: readonly ChartSeries[]): string {
  if (bar.text !== undefined) return bar.text;
  if (series.length === 1) return `${bar.label}: ${numberText(totalOf(bar))}`;
  const values = series.map(
    ({ label }, index) => `${numberText(bar.values[index] ?? 0)} ${label.toLowerCase()}`,
  );
  return `${bar.label}: ${values.join(', ')}`;
}

/** A length or position in a picture, with the digits that are visible. */
export function px(value: number): number {
  return Number(value.toFixed(3));
}
