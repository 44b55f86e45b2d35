import { scaleLinear } from 'd3-scale';
import type { ComponentChildren } from 'preact';
import { numberText } from '../../counted.js';
import { type ChartBar, type ChartSeries, segmentsOf, totalOf } from './chart-data.js';
import { BarGroup, ChartFigure, type ChartText, TonePatterns, toneFill } from './chart-figure.js';

/** Heights in pixels: of a bar, of the line with its label above it, and of both with the gap to the next one. */
const barHeight = 14;
const labelHeight = 22;
const rowHeight = labelHeight + barHeight + 8;

/** Horizontal bars from top to bottom, such as groups, with the values of the series stacked from the left. */
export function BarChart({
  bars,
  series,
  children,
  ...text
}: ChartText & {
  bars: readonly ChartBar[];
  series: readonly ChartSeries[];
  children?: ComponentChildren;
}) {
  const x = scaleLinear([0, Math.max(1, ...bars.map(totalOf))], [0, 100]);
  const segments = segmentsOf(bars, series);
  const picture = (
    <>
      <TonePatterns id={text.id} series={series} />
      {bars.map((bar, index) => {
        const y = index * rowHeight;
        return (
          <BarGroup key={bar.key} bar={bar} series={series}>
            {/* SVG text is never cut or wrapped, and a name may have any length. */}
            <foreignObject x="0" y={y} width="100%" height={labelHeight}>
              <div class="bar-label">
                <bdi>{bar.label}</bdi>{' '}
                <span>
                  {numberText(totalOf(bar))}
                  {bar.share !== undefined && <small> ({bar.share})</small>}
                </span>
              </div>
            </foreignObject>
            {segments[index]?.map(({ tone, from, to }) => (
              <rect
                key={tone}
                class="bar"
                x={percent(x(from))}
                width={percent(x(to) - x(from))}
                y={y + labelHeight}
                height={barHeight}
                fill={toneFill(text.id, tone)}
              />
            ))}
          </BarGroup>
        );
      })}
    </>
  );
  return (
    <ChartFigure {...{ ...text, bars, series, picture, kind: 'bars', height: bars.length * rowHeight }}>
      {children}
    </ChartFigure>
  );
}

function percent(value: number): string {
  return `${Number(value.toFixed(4))}%`;
}
