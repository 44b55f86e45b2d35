import type { ComponentChildren } from 'preact';
import { BarChart } from '../../../platform/pages/charts/bar-chart.js';
import { type ChartSeries, numberText } from '../../../platform/pages/charts/chart-data.js';
import { ColumnChart } from '../../../platform/pages/charts/column-chart.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import type { CallCounts, CallsOf } from './usage-figures.js';

const series: readonly ChartSeries[] = [
  { label: 'Without error' },
  { label: 'Errors' },
  { label: 'Rate-limited' },
];

/** Calls of an application as a chart, and as a table of the same numbers. */
export function CallsChart<Key>({
  kind,
  rows,
  keyOf,
  labelOf,
  cell,
  heading,
  labelEvery,
  ...text
}: {
  /** The table of columns is shown on demand. */
  kind: 'columns' | 'bars';
  id: string;
  title: string;
  description: string;
  rows: readonly CallsOf<Key>[];
  keyOf: (of: Key) => string;
  /** Label in the chart. */
  labelOf: (of: Key) => string;
  /** First cell of the row in the table. */
  cell: (of: Key) => ComponentChildren;
  /** Heading of the first column. */
  heading: string;
  /** Number of columns from one label to the next. */
  labelEvery?: number;
}) {
  const bars = rows.map(({ of, withoutError, errors, rateLimited }) => ({
    key: keyOf(of),
    label: labelOf(of),
    values: [withoutError, errors, rateLimited],
  }));
  const table = (
    <DataTable
      caption={text.title}
      columns={callColumns<Key>(heading, cell)}
      rows={rows}
      rowKey={({ of }) => keyOf(of)}
    />
  );
  return kind === 'columns' ? (
    <ColumnChart {...text} series={series} columns={bars} {...(labelEvery !== undefined && { labelEvery })}>
      <details class="numbers">
        <summary>Table: {text.title}</summary>
        {table}
      </details>
    </ColumnChart>
  ) : (
    <BarChart {...text} series={series} bars={bars}>
      {table}
    </BarChart>
  );
}

/** The numbers as text, such as "312 calls: 300 without error, 10 errors, 2 rate-limited". */
export function describeCalls({ calls, withoutError, errors, rateLimited }: CallCounts): string {
  const [all, good, bad, limited] = [calls, withoutError, errors, rateLimited].map(numberText);
  if (calls === 0) return 'no calls';
  return `${all} ${calls === 1 ? 'call' : 'calls'}: ${good} without error, ${bad} ${errors === 1 ? 'error' : 'errors'}, ${limited} rate-limited`;
}

function callColumns<Key>(heading: string, cell: (of: Key) => ComponentChildren): Column<CallsOf<Key>>[] {
  return [
    column(heading, ({ of }) => cell(of)),
    column('Calls', ({ calls }) => numberText(calls), { kind: 'number' }),
    column('Without error', ({ withoutError }) => numberText(withoutError), { kind: 'number' }),
    column('Errors', ({ errors }) => numberText(errors), { kind: 'number' }),
    column('Rate-limited', ({ rateLimited }) => numberText(rateLimited), { kind: 'number' }),
  ];
}
