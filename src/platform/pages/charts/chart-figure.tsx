import type { ComponentChildren } from 'preact';
import type { ChartSeries } from './chart-data.js';
import { Legend } from './tones.js';

export interface ChartText {
  /** Unique on the page; prefix of all ids of the chart. */
  readonly id: string;
  /** Name of the chart for screen readers. */
  readonly title: string;
  /** Description of the chart for screen readers. The numbers belong in a table beside it. */
  readonly description: string;
}

/**
 * A chart with its legend, and the table of the same numbers. The picture has the width of the page: its horizontal positions
 * are percentages, and its text keeps the font size of the page on a phone and at 400 % zoom.
 */
export function ChartFigure({
  id,
  title,
  description,
  series,
  kind,
  height,
  picture,
  children,
}: ChartText & {
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
        role="img"
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
