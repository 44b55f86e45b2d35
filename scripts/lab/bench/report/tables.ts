import { type Spread, spread } from '../../kit/statistics.js';
import type { Table } from '../../kit/table.js';
import type { Bar, Bound } from '../bars.js';
import type { Samples } from '../rounds.js';
import type { Sample } from '../sample.js';

const count = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

/** The results of each target: medians over the rounds, and the range of some values. */
export function sampleTable(samples: Samples): Table {
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
      const of = (metric: keyof Sample) => spread(list.map((sample) => sample[metric]));
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

function whole({ median, least, most }: Spread): string {
  if (Number.isNaN(median)) return '—';
  return `${count.format(median)} (${count.format(least)}–${count.format(most)})`;
}

/** The bounds of a scenario as a table. */
export function barTable(bars: readonly Bar[]): Table {
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

function describeBound({ atLeast, atMost }: Bound): string {
  if (atLeast !== undefined) return `≥ ${atLeast}`;
  return atMost === undefined ? '' : `≤ ${atMost}`;
}

function verdict(passed: boolean | undefined): string {
  if (passed === undefined) return 'reported';
  return passed ? 'pass' : 'FAIL';
}

function factor(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
