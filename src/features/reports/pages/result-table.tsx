import { numberText } from '../../../platform/counted.js';
import { type Column, DataTable } from '../../../platform/pages/data-table.js';
import { Email } from '../../../platform/pages/wrapped-text.js';
import { employeeAddress } from '../../employees/index.js';
import { computedGroupKeys } from '../computed-keys.js';
import { measureOf } from '../measures.js';
import type { GroupKey } from '../report-columns.js';
import type { ResultPage } from '../results/report-results.js';
import { useValueText } from './value-text.js';

type Row = ResultPage['rows'][number];

/** A page of the result of a report: names lead to the employee. An empty cell of a group is "None", as in its chart. */
export function ResultTable({ result, caption }: { result: ResultPage; caption: string }) {
  const { columns, rows } = result;
  const grouped = columns.some(({ key }) => key === 'count');
  const valueText = useValueText();
  const shown = columns.map(({ key, label, type }, index): Column<Row> => {
    const isName = key === 'first_name' || key === 'last_name';
    return {
      label: key === 'count' ? 'Employees' : label,
      ...((key === 'count' || type === 'number') && { kind: 'number' }),
      ...((shortColumns.has(key) || shortTypes.has(type)) && { kind: 'short' }),
      isName,
      cell: ({ id, values }) => {
        const value = values[index] ?? null;
        if (value === null) return grouped && measureOf(key) === undefined ? <em>None</em> : '–';
        if (key === 'count') return numberText(Number(value));
        const shown = valueText(key as GroupKey, Array.isArray(value) ? value.join(', ') : String(value));
        const text = <bdi>{key === 'email' ? <Email address={shown} /> : shown}</bdi>;
        return isName && !grouped && value !== '' ? <a href={employeeAddress(id)}>{text}</a> : text;
      },
    };
  });
  return <DataTable caption={caption} columns={shown} rows={rows} />;
}

const shortColumns: ReadonlySet<string> = new Set([
  ...['id', 'employee_number', 'status', 'hire_date', 'termination_date', 'updated_at'],
  ...computedGroupKeys,
]);

const shortTypes: ReadonlySet<string> = new Set(['date', 'date_time', 'boolean']);

/** Rows of a page of a result. */
export const pageSize = 50;

/**
 * How many rows a result has, and which of them a page shows.
 *
 * @param employees number of employees in all groups, if the result has groups and the number is known
 */
export function describeRows(
  count: number,
  {
    number,
    last,
    grouped,
    employees,
  }: { number: number; last: number; grouped: boolean; employees?: number | undefined },
): string {
  const people = (size: number) => `${numberText(size)} ${size === 1 ? 'employee' : 'employees'}`;
  const from = (number - 1) * pageSize + 1;
  const all = grouped ? `${numberText(count)} ${count === 1 ? 'group' : 'groups'}` : people(count);
  const shown =
    last === 1
      ? all
      : `${all}, ${numberText(from)} to ${numberText(Math.min(count, number * pageSize))} on this page`;
  return employees === undefined ? shown : `${shown}, ${people(employees)} in total`;
}
