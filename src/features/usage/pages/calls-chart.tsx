import type { ComponentChildren } from 'preact';
import { dayMilliseconds, utcDate } from '../../../platform/clock.js';
import { isDateText } from '../../../platform/contract/outside-text.js';
import { numberText } from '../../../platform/counted.js';
import { BarChart } from '../../../platform/pages/charts/bar-chart.js';
import type { ChartSeries } from '../../../platform/pages/charts/chart-data.js';
import { ColumnChart } from '../../../platform/pages/charts/column-chart.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import type { Fields } from '../../../platform/pages/fields.js';
import { invalidParameter } from '../../../platform/problems/invalid-request.js';
import { violation } from '../../../platform/problems/rule-texts.js';
import { oneDay, type Usage, type UsageInPeriod, type UsageRange } from '../usage-reader.js';

/** Days of the usage page, including today. */
export const usageDays = 30;

/**
 * The selected day; the last one by default.
 *
 * @throws {Problem} 400 `invalid_request` when it is not a day of the range
 */
export function selectedDay(query: Fields, { from, to }: UsageRange): UsageRange {
  const text = query.text('day');
  if (text === '') return oneDay(new Date(to.getTime() - dayMilliseconds));
  const day = isDateText(text) ? new Date(`${text}T00:00:00Z`) : null;
  if (day === null || day < from || day >= to) {
    const last = utcDate(new Date(to.getTime() - 1));
    throw invalidParameter('day', violation('date', { from: utcDate(from), to: last }));
  }
  return oneDay(day);
}

/** A day as "20 Nov". Usage is counted in hours of UTC, so days are in UTC for all readers. */
export function shortDay(day: Date): string {
  return shortFormat.format(day);
}

/** A day as "20 November 2026". */
export function longDay(day: Date): string {
  return longFormat.format(day);
}

/** An hour as "09:00". */
export function hourText(hour: Date): string {
  return hour.toISOString().slice(11, 16);
}

const shortFormat = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' });
const longFormat = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'long' });

/** Numbers of calls. Each call is in one of the last three. */
export interface CallCounts {
  readonly calls: number;
  readonly withoutError: number;
  readonly errors: number;
  readonly rateLimited: number;
}

/** Calls to an operation, or in an hour or on a day. */
interface CallsOf<Key> extends CallCounts {
  readonly of: Key;
}

/** Adds up calls of any operations and times. */
export function sumOf(rows: readonly Usage[]): CallCounts {
  const sum = (value: (row: Usage) => number) => rows.reduce((total, row) => total + value(row), 0);
  const calls = sum((row) => row.calls);
  const errors = sum((row) => row.errors);
  const rateLimited = sum((row) => row.rateLimited);
  return { calls, withoutError: calls - errors - rateLimited, errors, rateLimited };
}

/** The calls of each period, also of those without calls. */
export function callsByPeriod(rows: readonly UsageInPeriod[], periods: readonly Date[]): CallsOf<Date>[] {
  const found = groupBy(rows, ({ start }) => start.getTime());
  return periods.map((period) => ({ of: period, ...sumOf(found.get(period.getTime()) ?? []) }));
}

/** The calls of each operation with calls, the most frequent first. */
export function callsByOperation(rows: readonly Usage[]): CallsOf<string>[] {
  return [...groupBy(rows, ({ operation }) => operation)]
    .map(([operation, ofOperation]) => ({ of: operation, ...sumOf(ofOperation) }))
    .toSorted((one, other) => other.calls - one.calls || (one.of < other.of ? -1 : 1));
}

function groupBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

const series: readonly ChartSeries[] = [
  { label: 'Successful' },
  { label: 'Errors' },
  { label: 'Over the limit' },
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
  const table = <DataTable caption={text.title} columns={callColumns<Key>(heading, cell)} rows={rows} />;
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

/** The numbers as text, such as "312 calls: 300 successful, 10 errors, 2 over the limit". */
export function describeCalls({ calls, withoutError, errors, rateLimited }: CallCounts): string {
  const [all, good, bad, limited] = [calls, withoutError, errors, rateLimited].map(numberText);
  if (calls === 0) return 'no calls';
  return `${all} ${calls === 1 ? 'call' : 'calls'}: ${good} successful, ${bad} ${errors === 1 ? 'error' : 'errors'}, ${limited} over the limit`;
}

function callColumns<Key>(heading: string, cell: (of: Key) => ComponentChildren): Column<CallsOf<Key>>[] {
  return [
    column(heading, ({ of }) => cell(of)),
    column('Calls', ({ calls }) => numberText(calls), { kind: 'number' }),
    column('Successful', ({ withoutError }) => numberText(withoutError), { kind: 'number' }),
    column('Errors', ({ errors }) => numberText(errors), { kind: 'number' }),
    column('Over the limit', ({ rateLimited }) => numberText(rateLimited), { kind: 'number' }),
  ];
}
