import { scaleBand, scaleLinear } from 'd3-scale';
import type { ComponentChildren } from 'preact';
import { type ChartBar, type ChartSeries, px, segmentsOf, totalOf } from './chart-data.js';
import { BarGroup, ChartFigure, type ChartText, TonePatterns, toneFill } from './chart-figure.js';

/** Height of the highest column, and the room for labels above and below, in pixels. */
const plotHeight = 180;
const top = 12;
const bottom = 24;

/** Labels on the horizontal axis, at most: those of a phone do not overlap at 400 % zoom. */
const maximumLabels = 5;

const compact = new Intl.NumberFormat('en', { notation: 'compact' });

/** Columns from left to right, such as days or years, with the values of the series stacked from the bottom. */
export function ColumnChart({
  columns,
  series,
  labelEvery = Math.ceil(columns.length / maximumLabels),
  labelLast = false,
  children,
  ...text
}: ChartText & {
  columns: readonly ChartBar[];
  series: readonly ChartSeries[];
  /** Number of columns from one label on the horizontal axis to the next. */
  labelEvery?: number;
  /** Whether the last column has a label, and those next to it have none. */
  labelLast?: boolean;
  children?: ComponentChildren;
}) {
  const highest = Math.max(1, ...columns.map(totalOf));
  const y = scaleLinear([0, highest], [top + plotHeight, top]).nice(4);
  const x = scaleBand(
    columns.map(({ key }) => key),
    [0, 100],
  ).padding(0.2);
  const segments = segmentsOf(columns, series);
  const last = columns.length - 1;
  const hasLabel = (index: number) =>
    labelLast && index + labelEvery > last ? index === last : index % labelEvery === 0;
  const picture = (
    <>
      <TonePatterns id={text.id} series={series} />
      {y
        .ticks(4)
        .filter(Number.isInteger)
        .map((value) => (
          <g key={value}>
            <line class="grid" x1="0" x2="100%" y1={px(y(value))} y2={px(y(value))} />
            <text x="-8" y={px(y(value))} dy="0.32em" text-anchor="end">
              {compact.format(value)}
            </text>
          </g>
        ))}
      {columns.map((column, index) => (
        <BarGroup key={column.key} bar={column} series={series}>
          {column.href !== undefined && (
            <rect
              class="area"
              x={percent(x(column.key) ?? 0)}
              width={percent(x.bandwidth())}
              y={top}
              height={plotHeight + bottom}
            />
          )}
          {segments[index]?.map(({ tone, from, to }) => (
            <rect
              key={tone}
              class="bar"
              x={percent(x(column.key) ?? 0)}
              width={percent(x.bandwidth())}
              y={px(y(to))}
              height={px(y(from) - y(to))}
              fill={toneFill(text.id, tone)}
            />
          ))}
        </BarGroup>
      ))}
      {columns.map(
        ({ key, label }, index) =>
          hasLabel(index) && (
            <text
              key={key}
              x={percent((x(key) ?? 0) + x.bandwidth() / 2)}
              y={top + plotHeight + bottom - 6}
              text-anchor="middle"
            >
              {label}
            </text>
          ),
      )}
    </>
  );
  return (
    <ChartFigure
      {...{ ...text, bars: columns, series, picture, kind: 'columns', height: top + plotHeight + bottom }}
    >
      {children}
    </ChartFigure>
  );
}

function percent(value: number): string {
  return `${px(value)}%`;
}
