import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { AccountId } from '../../../platform/accounts/account-id.js';
import { useTimeText } from '../../../platform/pages/timestamp.js';
import { type Employees, formatStatus } from '../../employees/index.js';
import { describeMeasure, measureOf } from '../measures.js';
import type { ReportFilter } from '../report.js';
import { contractColumns, type GroupKey, hasEmployees, type ReportColumns } from '../report-columns.js';
import { type ChartData, chartKeys } from '../results/report-charts.js';
import type { ResultPage } from '../results/report-results.js';

/** Names of the employees that a page shows, by id. */
type Names = ReadonlyMap<string, string>;

/** The names of employees. A page of a report provides them; other pages show ids. */
export const EmployeeNames = createContext<Names>(new Map());

/** The columns of the user. A page that can show custom attributes provides them. */
export const PageColumns = createContext<ReportColumns>(contractColumns);

/** The ids of the employees in filters. */
export function employeeIdsIn(
  filters: readonly { readonly field: string; readonly value?: string | readonly string[] }[],
  columns: ReportColumns,
): string[] {
  return filters.filter(({ field }) => hasEmployees(field, columns)).flatMap(({ value = [] }) => value);
}

/**
 * Reads the names of the employees in a result, its chart and the filters of its report. Those who were deleted have none.
 */
export function readEmployeeNames(
  employees: Pick<Employees, 'names'>,
  accountId: AccountId,
  {
    report: { filters, groupBy },
    run: { result, chart },
    columns,
  }: {
    report: { readonly filters: readonly ReportFilter[]; readonly groupBy: readonly GroupKey[] };
    run: { readonly result: ResultPage; readonly chart: ChartData | null };
    columns: ReportColumns;
  },
): Promise<Names> {
  const isEmployee = (key: string | undefined) => key !== undefined && hasEmployees(key, columns);
  const shown = result.columns.flatMap(({ key }, index) => (isEmployee(key) ? [index] : []));
  const keys = chart === null ? undefined : chartKeys(groupBy);
  const charted = [
    ...(isEmployee(keys?.bars) ? (chart?.bars ?? []) : []),
    ...(isEmployee(keys?.stacks) ? (chart?.stacks ?? []) : []),
  ];
  const ids = [
    ...result.rows.flatMap(({ values }) => shown.map((index) => values[index])),
    ...charted.map((value) => ('value' in value ? value.value : null)),
    ...employeeIdsIn(filters, columns),
  ];
  return employees.names(accountId, new Set(ids.filter((id) => typeof id === 'string')));
}

/** A value as people read it, without dates and times, which depend on who reads them. */
export function formatValue(
  key: GroupKey,
  value: string,
  { names, columns }: { names: Names; columns: ReportColumns },
): string {
  if (key === 'status') return formatStatus(value);
  if (columns.get(key)?.type === 'boolean' && value !== '') return value === 'true' ? 'Yes' : 'No';
  return hasEmployees(key, columns) ? (names.get(value) ?? value) : value;
}

/** Returns a function that formats a batch of rows with these columns as people read them. A batch takes one query for all names. */
export function formatRowsOf(
  employees: Pick<Employees, 'names'>,
  accountId: AccountId,
  {
    report: { columns, groupBy },
    columnsOfUser,
  }: {
    readonly report: { readonly columns: readonly GroupKey[]; readonly groupBy: readonly GroupKey[] };
    readonly columnsOfUser: ReportColumns;
  },
): (rows: readonly (readonly string[])[]) => Promise<string[][]> {
  const keys = groupBy.length > 0 ? groupBy : columns;
  const shown = keys.flatMap((key, index) => (hasEmployees(key, columnsOfUser) ? [index] : []));
  return async (rows) => {
    const ids = rows.flatMap((row) => shown.map((index) => row[index] ?? '')).filter((id) => id !== '');
    const names = await employees.names(accountId, new Set(ids));
    return rows.map((row) =>
      row.map((value, index) => {
        const key = keys[index];
        return key === undefined ? value : formatValue(key, value, { names, columns: columnsOfUser });
      }),
    );
  };
}

/** Returns a function that formats a value of a column as people read it. Values of other columns are unchanged. */
export function useValueText(): (key: GroupKey, value: string) => string {
  const names = useContext(EmployeeNames);
  const columns = useContext(PageColumns);
  const timeText = useTimeText();
  return (key, value) => {
    const measure = measureOf(key);
    const { type } = (measure ? describeMeasure(measure, columns) : columns.get(key)) ?? {};
    return type === 'date' || type === 'date_time'
      ? timeText(value, type)
      : formatValue(key, value, { names, columns });
  };
}
