import { spread } from '../measure/statistics.mjs';

/**
 * @typedef {{ columns: string[], rows: string[][] }} Table The first column is text, the others are numbers.
 */

const count = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

/**
 * What each subject did: medians over the rounds, and the range where it matters.
 *
 * @param {Map<string, import('../measure/sample.mjs').Sample[]>} samples
 * @returns {Table}
 */
export function sampleTable(samples) {
  return {
    columns: [
      '',
      'requests/s',
      'per server CPU s',
      'per server + PostgreSQL CPU s',
      'p50 ms',
      'p99 ms',
      'RSS MB',
      'load CPU',
    ],
    rows: [...samples].map(([name, list]) => {
      const of = (metric) => spread(list.map((sample) => sample[metric]));
      return [
        name,
        whole(of('perSecond')),
        whole(of('perServerSecond')),
        whole(of('perTotalSecond')),
        of('p50').median.toFixed(2),
        of('p99').median.toFixed(2),
        count.format(of('memory').median / 1e6),
        `${count.format(of('loadShare').median * 100)} %`,
      ];
    }),
  };
}

function whole({ median, least, most }) {
  if (Number.isNaN(median)) return '—';
  return `${count.format(median)} (${count.format(least)}–${count.format(most)})`;
}

/** The bars of a work as a table. */
export function barTable(bars) {
  return {
    columns: ['', 'median', 'range', 'bar', ''],
    rows: bars.map(({ text, found, bound, passed }) => [
      text,
      factor(found.median),
      `${factor(found.least)}–${factor(found.most)}`,
      describeBound(bound),
      verdict(passed),
    ]),
  };
}

function describeBound({ atLeast, atMost }) {
  if (atLeast !== undefined) return `≥ ${atLeast}`;
  return atMost === undefined ? '' : `≤ ${atMost}`;
}

function verdict(passed) {
  if (passed === undefined) return 'reported';
  return passed ? 'pass' : 'FAIL';
}

function factor(value) {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

/**
 * A table as Markdown, aligned for readers of the plain text too.
 *
 * @param {Table} table
 */
export function markdown({ columns, rows }) {
  const widths = columns.map((column, index) =>
    Math.max(3, ...[column, ...rows.map((row) => row[index])].map(length)),
  );
  const line = (cells) =>
    `| ${cells.map((cell, index) => pad(cell, widths[index], index > 0)).join(' | ')} |`;
  const rule = widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(columns), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

function length(text) {
  return [...text].length;
}

function pad(text, width, toTheRight) {
  const space = ' '.repeat(width - length(text));
  return toTheRight ? space + text : text + space;
}
