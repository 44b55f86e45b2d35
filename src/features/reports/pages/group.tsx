import type { Fields } from '../../../platform/pages/fields.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { lastPage, Pager, pageNumber } from '../../../platform/pages/pager.js';
import { computedGroup } from '../computed-keys.js';
import { findDefinitionErrors } from '../definition-rules.js';
import type { ReportDefinition, ReportFilter } from '../report.js';
import type { ColumnKey, GroupKey, ReportColumns } from '../report-columns.js';
import { DateNote, requestedDate, withDate } from './as-of.js';
import { FilterList, keyLabel } from './definition.js';
import { emptyReportForm } from './report-form.js';
import { type ReportPagesDependencies, reportAddress, runnableReport } from './report-pages.js';
import { describeRows, pageSize, ResultTable } from './result-table.js';
import { EmployeeNames, formatValue, PageColumns, readEmployeeNames } from './value-text.js';

/** A value of a group key; `null` for the employees without a value. */
export interface Group {
  readonly key: GroupKey;
  readonly value: string | null;
}

/** Path and query of the page with the employees of a group of a report. */
export function groupAddress(id: string, { key, value }: Group, page = 1): string {
  const query = new URLSearchParams({ by: key, ...(value === null ? { none: 'yes' } : { value }) });
  if (page > 1) query.set('page', String(page));
  return `${reportAddress(id, 'employees')}?${query}`;
}

/** Whether filters can select the employees of a group of a key. */
export function isListed(key: GroupKey): boolean {
  const computed = computedGroup(key);
  return computed === undefined || computed.dateOf !== undefined;
}

/** The group that a query names; `null` when the report has no such groups. */
function requestedGroup(query: Fields, { groupBy }: ReportDefinition): Group | null {
  const key = groupBy.find((key) => key === query.text('by'));
  if (key === undefined || !isListed(key)) return null;
  // The value is stored text, which may start or end with white space.
  return { key, value: query.text('none') === 'yes' ? null : query.secret('value') };
}

function groupLabel({ key, value }: Group, shown: Parameters<typeof formatValue>[2]): string {
  if (value === null) return 'None';
  return value === '' ? 'Empty text' : formatValue(key, value, shown);
}

/** The filters that exactly the employees of a group meet. */
function filtersOf({ key, value }: Group, columns: ReportColumns): readonly ReportFilter[] {
  const { dateOf, period } = computedGroup(key) ?? {};
  const field = dateOf ?? (key as ColumnKey);
  if (value === null) {
    const empty: ReportFilter = { field, operator: 'empty' };
    // A custom attribute has no empty text.
    const column = columns.get(field);
    return column?.type === 'string' && column.custom === undefined
      ? [empty, { field, operator: 'not_eq', value: '' }]
      : [empty];
  }
  if (period === undefined) return [{ field, operator: 'eq', value }];
  const [first, last] = daysOf(value, period);
  return [
    { field, operator: 'on_or_after', value: first },
    { field, operator: 'on_or_before', value: last },
  ];
}

/** The first and the last day of a year or a month. For another text, they are not dates. */
function daysOf(value: string, period: 'year' | 'month'): [string, string] {
  if (period === 'year') {
    const year = value.padStart(4, '0');
    return [`${year}-01-01`, `${year}-12-31`];
  }
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(value) ?? [];
  // The lengths of months repeat every 400 years. `Date` takes years below 100 for others.
  const last = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return [`${value}-01`, `${value}-${last}`];
}

const { columns: shownColumns } = emptyReportForm;

/** The employees of a group of a report, as a list that is not saved. A bar of the chart leads to it. */
export function groupPages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  site.get(reportAddress(':id', 'employees'), async (context) => {
    const runnable = await runnableReport(context, dependencies);
    if ('unusable' in runnable) return { redirect: reportAddress(runnable.unusable.id) };
    const { report, columns } = runnable;
    const group = requestedGroup(context.query, report);
    if (group === null) return { redirect: reportAddress(report.id) };
    const list = {
      columns: shownColumns as ReportDefinition['columns'],
      filters: [...report.filters, ...filtersOf(group, columns)],
      sort: ['last_name', 'first_name'],
      groupBy: [],
      measures: [],
      version: 0,
    };
    if (findDefinitionErrors(list, columns).length > 0) return { redirect: reportAddress(report.id) };
    const { accountId } = context.auditContext;
    const date = await requestedDate(context, dependencies);
    const number = pageNumber(context.query);
    const result = await dependencies.reportResults.readPage({
      accountId,
      report: list,
      columns,
      asOf: date.asOf,
      page: { size: pageSize, from: { skip: (number - 1) * pageSize } },
      signal: context.disconnected(),
    });
    const last = lastPage(result.recordCount, pageSize);
    const address = (page: number) => withDate(groupAddress(report.id, group, page), date);
    if (number > last) return { redirect: address(last) };
    const names = await readEmployeeNames(dependencies.employees, accountId, {
      report: list,
      run: { result, chart: null },
      columns,
    });
    const title = `${keyLabel(group.key, columns)}: ${groupLabel(group, { names, columns })}`;
    return {
      title,
      parent: { title: report.title, href: withDate(reportAddress(report.id), date) },
      body: (
        <PageColumns.Provider value={columns}>
          <EmployeeNames.Provider value={names}>
            <DateNote date={date} />
            <FilterList filters={list.filters} />
            <p class="hint" role="status">
              {describeRows(result.recordCount, { number, last, grouped: false })}
            </p>
            <ResultTable result={result} caption={title} />
            <Pager number={number} last={last} address={address} />
          </EmployeeNames.Provider>
        </PageColumns.Provider>
      ),
    };
  });
}
