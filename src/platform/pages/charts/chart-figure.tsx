import type { ComponentChildren } from 'preact';
import { type ChartBar, type ChartSeries, colourCount, textOf, toneOf } from './chart-data.js';

/** Width and height of a pattern in pixels. */
const size = 7;

/** Lines or dots in the colour of the background, so that the series are distinguishable without colour. */
const marks: readonly (string | null)[] = [
  null,
  'M-1 1l2 -2M0 7l7 -7M6 8l2 -2',
  'M2 3h2',
  'M-1 6l2 2M0 0l7 7M6 -1l2 2',
  'M0 3h7',
  'M3 0v7',
];

/** Colours of the series in a file, which has no style sheet: those of the pages on a white ground. */
const fileColours = ['#1f5fa8', '#b3261e', '#8a5a00', '#1b6e3c', '#6b3fa0', '#4f5b66'] as const;

/** Definitions of the patterns of the series. Their ids start with the id of the chart. */
export function TonePatterns({
  id,
  series,
  inFile = false,
}: {
  id: string;
  series: readonly ChartSeries[];
  inFile?: boolean;
}) {
  const tones = [...new Set(series.map((_, index) => toneOf(series, index)))];
  return (
    <defs>
      {tones.map((tone) => (
        <pattern
          key={tone}
          id={patternId(id, tone)}
          width={size}
          height={size}
          patternUnits="userSpaceOnUse"
          class={inFile ? undefined : `tone-${tone % colourCount}`}
        >
          <rect width={size} height={size} {...(inFile && { fill: fileColours[tone % colourCount] })} />
          {markOf(tone) !== null && (
            <path d={markOf(tone) ?? ''} {...(inFile && { stroke: '#fff', 'stroke-width': 1.2 })} />
          )}
        </pattern>
      ))}
    </defs>
  );
}

/** The first series have different colours and marks; each further round of the colours has the marks in another order. */
function markOf(tone: number): string | null {
  return marks[(tone + Math.floor(tone / colourCount)) % colourCount] ?? null;
}

/** Value of `fill` for a tone of a chart. */
export function toneFill(id: string, tone: number): string {
  return `url(#${patternId(id, tone)})`;
}

function patternId(id: string, tone: number): string {
  return `${id}-tone-${tone}`;
}

/** Names of the series, each with its colour and pattern. A chart of one series needs none. */
function Legend({ id, series }: { id: string; series: readonly ChartSeries[] }) {
  if (series.length < 2) return null;
  return (
    <ul class="legend">
      {series.map(({ label }, index) => (
        <li key={label}>
          <svg width="14" height="14" aria-hidden="true" focusable="false">
            <rect width="14" height="14" fill={toneFill(id, toneOf(series, index))} />
          </svg>{' '}
          {label}
        </li>
      ))}
    </ul>
  );
}

export interface ChartText {
  /** Unique on the page; prefix of all ids of the chart. */
  readonly id: string;
  /** Name of the chart for screen readers. */
  readonly title: string;
  /** Description of the chart for screen readers. The numbers belong in a table beside it. */
  readonly description: string;
}

/** A bar with the text of its values. It is a link if it has an address. */
export function BarGroup({
  bar,
  series,
  children,
}: {
  bar: ChartBar;
  series: readonly ChartSeries[];
  children: ComponentChildren;
}) {
  const content = (
    <>
      <title>{textOf(bar, series)}</title>
      {children}
    </>
  );
  return bar.href === undefined ? <g>{content}</g> : <a href={bar.href}>{content}</a>;
}

/**
 * A chart with its legend, and the table of the same numbers. The picture has the width of the page: its horizontal positions
 * are percentages, and its text keeps the font size of the page on a phone and at 400 % zoom.
 */
export function ChartFigure({
  id,
  title,
  description,
  bars,
  series,
  kind,
  height,
  picture,
  children,
}: ChartText & {
  bars: readonly ChartBar[];
  series: readonly ChartSeries[];
  kind: 'columns' | 'bars';
  /** Height of the picture in pixels. */
  height: number;
  picture: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <figure class="chart">
      <figcaption>
        <Legend id={id} series={series} />
      </figcaption>
      <svg
        class={kind}
        // The content of an image has no links.
        role={bars.some(({ href }) => href !== undefined) ? 'group' : 'img'}
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-description`}
        width="100%"
        height={height}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-description`}>{description}</desc>
        {picture}
      </svg>
      {children}
    </figure>
  );
}
