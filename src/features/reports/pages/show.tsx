import { numberText } from '../../../platform/pages/charts/chart-data.js';
import { CsvHint, excelAddress } from '../../../platform/pages/csv-formats.js';
import { type Column, DataTable, Empty } from '../../../platform/pages/data-table.js';
import type { PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { lastPage, Pager, pageNumber } from '../../../platform/pages/pager.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import type { Report } from '../report.js';
import type { GroupKey } from '../report-columns.js';
import type { ReportResults, ResultPage } from '../results/report-results.js';
import { DefinitionDescription, describeDefinition } from './definition.js';
import { ReportChart } from './report-chart.js';
import { type ReportPagesDependencies, reportAddress, requestedReport } from './report-pages.js';
import { ManagerNames, readManagerNames, useValueText } from './value-text.js';

type Row = ResultPage['rows'][number];

/** A page of the result of a report. An empty cell of a group is "None", as in its chart. */
export function ResultTable({ result, caption }: { result: ResultPage; caption: string }) {
  const { columns, rows } = result;
  const grouped = columns.at(-1)?.key === 'count';
  const valueText = useValueText();
  const shown = columns.map(
    ({ key, label, type }, index): Column<Row> => ({
      key,
      label,
      heading: label,
      ...(type === 'integer' && { kind: 'number' }),
      ...(key !== 'count' && shortColumns.has(key) && { kind: 'short' }),
      isName: key === 'first_name' || key === 'last_name',
      cell: ({ values }) => {
        const value = values[index] ?? null;
        if (value === null) return grouped ? <em>None</em> : '–';
        if (key === 'count') return numberText(Number(value));
        return <bdi>{valueText(key as GroupKey, String(value))}</bdi>;
      },
    }),
  );
  return <DataTable caption={caption} columns={shown} rows={rows} rowKey={({ id }) => id} />;
}

const shortColumns: ReadonlySet<string> = new Set([
  ...['id', 'employee_number', 'status', 'hire_date', 'termination_date', 'updated_at'],
]);

const pageSize = 50;

/** Rows of the page that is printed. */
const printedRows = 1_000;

/** The result of a report as a table, with its chart, and as CSV. */
export function showPages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  site.get(reportAddress(':id'), async (context) => {
    const report = await requestedReport(context, dependencies);
    const print = context.query.text('print') === 'yes';
    const number = print ? 1 : pageNumber(context.query);
    const size = print ? printedRows : pageSize;
    const run = await dependencies.reportResults.readPageWithChart({
      accountId: context.auditContext.accountId,
      report,
      page: { size, from: { skip: (number - 1) * size } },
      signal: context.disconnected(),
    });
    const last = print ? 1 : lastPage(run.result.recordCount, pageSize);
    if (number > last) return { redirect: pageAddress(report.id, last) };
    const { accountId } = context.auditContext;
    const names = await readManagerNames(dependencies.employees, accountId, { report, run });
    const page = showPage({ report, run, number, last, print });
    return { ...page, body: <ManagerNames.Provider value={names}>{page.body}</ManagerNames.Provider> };
  });

  site.download(reportAddress(':id', 'results.csv'), async (context) => {
    const report = await requestedReport(context, dependencies);
    return {
      fileName: `${fileNameOf(report)}.csv`,
      make: (signal) => dependencies.reportResults.export(context.auditContext, report, { signal }),
    };
  });
}

/** The title without the characters that file systems reserve, of at most 100 characters. */
function fileNameOf({ id, title }: Report): string {
  const name = title
    .replace(/[\p{C}\\/:*?"<>|]+/gu, ' ')
    .replace(/ +/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, '');
  return [...name].slice(0, 100).join('').trim() || `report-${id}`;
}

function pageAddress(id: string, number: number): string {
  return `${reportAddress(id)}?page=${number}`;
}

function showPage({
  report,
  run: { result, chart },
  number,
  last,
  print,
}: {
  report: Report;
  run: Awaited<ReturnType<ReportResults['readPageWithChart']>>;
  number: number;
  last: number;
  print: boolean;
}): PageView {
  const { id, title, description } = report;
  const table =
    result.recordCount === 0 ? (
      <Empty title="The report has no rows.">
        <p>No employee of your account meets its filters.</p>
      </Empty>
    ) : (
      <>
        <p class="hint" role="status">
          {describeRows(result.recordCount, { number, last, grouped: report.groupBy.length > 0 })}
          {print &&
            result.recordCount > printedRows &&
            `, of which this page has the first ${numberText(printedRows)}`}
        </p>
        <ResultTable result={result} caption={title} />
      </>
    );
  return {
    title,
    actions: (
      <div class="row-actions">
        <a class="button" href={reportAddress(id, 'results.csv')} download>
          Download CSV
        </a>
        <a class="button secondary" href={excelAddress(reportAddress(id, 'results.csv'))} download>
          CSV for Excel
        </a>
        {!print && (
          <a class="button secondary" href={`${reportAddress(id)}?print=yes`}>
            Print view
          </a>
        )}
        <a class="button secondary" href={reportAddress(id, 'edit')}>
          Edit
        </a>
        <a class="button secondary" href={`${reportsPath}/new?copy=${id}`}>
          Duplicate
        </a>
        <a class="button danger" href={reportAddress(id, 'delete')}>
          Delete
        </a>
      </div>
    ),
    body: (
      <>
        {print ? <p class="hint screen-only">Print this page with the menu of your browser.</p> : <CsvHint />}
        {description !== null && <p class="description">{description}</p>}
        <p>{describeDefinition(report)}.</p>
        <details class="definition" open={print}>
          <summary>Definition</summary>
          <DefinitionDescription report={report} />
          <p class="hint">
            Last change: <Timestamp at={report.updatedAt} />
          </p>
        </details>
        {chart !== null && <ReportChart chart={chart} report={report} />}
        {table}
        <Pager number={number} last={last} address={(page) => pageAddress(id, page)} />
      </>
    ),
  };
}

function describeRows(
  count: number,
  { number, last, grouped }: { number: number; last: number; grouped: boolean },
): string {
  const noun = grouped ? (count === 1 ? 'group' : 'groups') : count === 1 ? 'employee' : 'employees';
  const from = (number - 1) * pageSize + 1;
  const all = `${count.toLocaleString('en')} ${noun}`;
  return last === 1
    ? all
    : `${all}, ${from.toLocaleString('en')} to ${Math.min(count, number * pageSize).toLocaleString('en')} on this page`;
}
