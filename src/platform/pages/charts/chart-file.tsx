import { scaleBand, scaleLinear } from 'd3-scale';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { numberText } from '../../counted.js';
import { type ChartBar, type ChartSeries, px, segmentsOf, toneOf, totalOf } from './chart-data.js';
import { TonePatterns, toneFill } from './chart-figure.js';

/** A chart, and the texts of its file. */
interface ChartFileContent {
  readonly title: string;
  /** Lines below the title. */
  readonly notes: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly bars: readonly ChartBar[];
  /** Vertical columns instead of horizontal bars. */
  readonly columns: boolean;
  /** Number of columns from one label on the horizontal axis to the next. */
  readonly labelEvery: number;
}

/** Media type of the file. */
export const chartFileType = 'image/svg+xml; charset=utf-8';

// Lengths in pixels.
const width = 960;
const margin = 32;
const inner = width - 2 * margin;
const lineHeight = 20;
const plotHeight = 320;
const axisWidth = 48;

/** Characters that XML does not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are replaced
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** The SVG file of a {@link ChartFile}, whose texts may have any characters. */
export function svgFile(chart: VNode): string {
  const svg = renderToString(chart).replaceAll(notXml, '\ufffd');
  return `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`;
}

/**
 * A chart as the content of a file, which needs no style sheet: with title, notes and legend on a white ground. It has no
 * scripts, links or HTML, so that programs for images and documents show it.
 */
export function ChartFile({ title, notes, series, bars, columns, labelEvery }: ChartFileContent) {
  const titleLines = wrapped(title, 20, inner);
  const noteLines = notes.flatMap((note) => wrapped(note, 13, inner));
  const legend = series.length < 2 ? [] : series;
  const notesTop = margin + titleLines.length * 28;
  const legendTop = notesTop + noteLines.length * lineHeight + (noteLines.length > 0 ? 8 : 0);
  const top = legendTop + legend.length * lineHeight + 16;
  const height = top + (columns ? plotHeight + 32 : bars.length * rowHeight) + margin;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"
      font-size={13}
      fill="#1d2430"
    >
      <title>{title}</title>
      <TonePatterns id="chart" series={series} inFile />
      <rect width={width} height={height} fill="#fff" />
      {titleLines.map((line, index) => (
        <text key={index} x={margin} y={margin + 20 + index * 28} font-size={20} font-weight="bold">
          {line}
        </text>
      ))}
      {noteLines.map((line, index) => (
        <text key={index} x={margin} y={notesTop + 14 + index * lineHeight} fill="#4f5b66">
          {line}
        </text>
      ))}
      {legend.map(({ label }, index) => (
        <g key={index}>
          <rect
            x={margin}
            y={legendTop + 3 + index * lineHeight}
            width={14}
            height={14}
            fill={toneFill('chart', toneOf(series, index))}
          />
          <text x={margin + 22} y={legendTop + 14 + index * lineHeight}>
            {wrapped(label, 13, inner - 22)[0]}
          </text>
        </g>
      ))}
      {columns ? (
        <Columns bars={bars} series={series} top={top} labelEvery={labelEvery} />
      ) : (
        <Bars bars={bars} series={series} top={top} />
      )}
    </svg>
  );
}

/** Heights of a bar, of its label, and of both with the gap to the next one. */
const barHeight = 14;
const labelHeight = 22;
const rowHeight = labelHeight + barHeight + 8;

function Bars({ bars, series, top }: Pick<ChartFileContent, 'bars' | 'series'> & { top: number }) {
  const x = scaleLinear([0, Math.max(1, ...bars.map(totalOf))], [0, inner]);
  const segments = segmentsOf(bars, series);
  return (
    <>
      {bars.map((bar, index) => {
        const y = top + index * rowHeight;
        const share = bar.share === undefined ? '' : ` (${bar.share})`;
        return (
          <g key={bar.key}>
            <text x={margin} y={y + 15}>
              {wrapped(bar.label, 13, inner - 140)[0]}
            </text>
            <text x={margin + inner} y={y + 15} text-anchor="end">
              {numberText(totalOf(bar)) + share}
            </text>
            {segments[index]?.map(({ tone, from, to }) => (
              <rect
                key={tone}
                x={px(margin + x(from))}
                width={px(x(to) - x(from))}
                y={y + labelHeight}
                height={barHeight}
                fill={toneFill('chart', tone)}
              />
            ))}
          </g>
        );
      })}
    </>
  );
}

function Columns({
  bars,
  series,
  top,
  labelEvery,
}: Pick<ChartFileContent, 'bars' | 'series' | 'labelEvery'> & { top: number }) {
  const y = scaleLinear([0, Math.max(1, ...bars.map(totalOf))], [top + plotHeight, top]).nice(4);
  const range: [number, number] = [margin + axisWidth, margin + inner];
  const x = scaleBand(
    bars.map(({ key }) => key),
    range,
  ).padding(0.2);
  const segments = segmentsOf(bars, series);
  return (
    <>
      {y
        .ticks(4)
        .filter(Number.isInteger)
        .map((value) => (
          <g key={value}>
            <line x1={range[0]} x2={range[1]} y1={px(y(value))} y2={px(y(value))} stroke="#d0d5db" />
            <text x={range[0] - 8} y={px(y(value))} dy="0.32em" text-anchor="end">
              {numberText(value)}
            </text>
          </g>
        ))}
      {bars.map((bar, index) => {
        const left = x(bar.key) ?? 0;
        return (
          <g key={bar.key}>
            {segments[index]?.map(({ tone, from, to }) => (
              <rect
                key={tone}
                x={px(left)}
                width={px(x.bandwidth())}
                y={px(y(to))}
                height={px(y(from) - y(to))}
                fill={toneFill('chart', tone)}
              />
            ))}
            {index % labelEvery === 0 && (
              <text x={px(left + x.bandwidth() / 2)} y={top + plotHeight + 20} text-anchor="middle">
                {bar.label}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

/** Lines of a text. SVG does not wrap text, and only the program that shows it knows the widths of letters. */
function wrapped(text: string, fontSize: number, maximumWidth: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(/(?<=\s)/)) {
    for (const part of widthOf(word, fontSize) > maximumWidth ? [...word] : [word]) {
      const needed = widthOf(part, fontSize);
      if (used + needed > maximumWidth) {
        lines.push(line);
        [line, used] = ['', 0];
      }
      line += part;
      used += needed;
    }
  }
  return [...lines, line].map((one) => one.trim());
}

/** Estimated width: letters of East Asian scripts and pictures are as wide as they are high. */
function widthOf(text: string, fontSize: number): number {
  return (
    [...text].reduce((sum, letter) => sum + ((letter.codePointAt(0) ?? 0) < 0x1100 ? 0.6 : 1), 0) * fontSize
  );
}
