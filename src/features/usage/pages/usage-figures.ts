import type { Usage, UsageInPeriod } from '../usage-reader.js';

/** Numbers of calls. Each call is in one of the last three. */
export interface CallCounts {
  readonly calls: number;
  readonly withoutError: number;
  readonly errors: number;
  readonly rateLimited: number;
}

/** Calls to an operation, or in an hour or on a day. */
export interface CallsOf<Key> extends CallCounts {
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
