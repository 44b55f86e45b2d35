import { numberText } from '../../../platform/counted.js';
import { CsvHint, excelAddress } from '../../../platform/pages/csv-formats.js';
import { Empty } from '../../../platform/pages/data-table.js';
import { DescriptionItem } from '../../../platform/pages/form-parts.js';
import type { PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { lastPage, Pager, pageNumber } from '../../../platform/pages/pager.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { endOf } from '../../employees/index.js';
import { hasSeveralGroups } from '../computed-keys.js';
import type { Report } from '../report.js';
import type { ReportColumns } from '../report-columns.js';
import { type ReportResults, resultLabels } from '../results/report-results.js';
import { DateForm, DateNote, type RequestedDate, requestedDate, withDate } from './as-of.js';
import { ChartDownloads } from './chart-image.js';
import { DefinitionDescription, describeDefinition, RunTime } from './definition.js';
import { groupAddress } from './group.js';
import { employeesIn, ReportChart } from './report-chart.js';
import { fileNameOf, type ReportPagesDependencies, reportAddress, runnableReport } from './report-pages.js';
import { newReportPath } from './report-templates.js';
import { describeRows, pageSize, ResultTable } from './result-table.js';
import { EmployeeNames, formatRowsOf, PageColumns, readEmployeeNames } from './value-text.js';

/** Rows of the page that is printed. */
const printedRows = 1_000;

/** The result of a report as a table, with its chart, and as CSV. */
export function showReportPages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  site.get(reportAddress(':id'), async (context) => {
    const runnable = await runnableReport(context, dependencies);
    if ('unusable' in runnable) return unusablePage(runnable);
    const { report, columns } = runnable;
    const date = await requestedDate(context, dependencies);
    const print = context.query.text('print') === 'yes';
    const number = print ? 1 : pageNumber(context.query);
    const size = print ? printedRows : pageSize;
    const run = await dependencies.reportResults.readPageWithChart({
      accountId: context.auditContext.accountId,
      report,
      columns,
      asOf: date.asOf,
      page: { size, from: { skip: (number - 1) * size } },
      signal: context.disconnected(),
    });
    const last = print ? 1 : lastPage(run.result.recordCount, pageSize);
    if (number > last) return { redirect: withDate(pageAddress(report.id, last), date) };
    const { accountId } = context.auditContext;
    const names = await readEmployeeNames(dependencies.employees, accountId, { report, run, columns });
    const { at } = context.auditContext;
    const { accountName } = context.user;
    const page = showPage({
      report,
      columns,
      date,
      run,
      number,
      last,
      printed: print ? { accountName, at } : undefined,
    });
    return {
      ...page,
      body: (
        <RunTime.Provider value={date.asOf === undefined ? at : endOf(date.asOf)}>
          <PageColumns.Provider value={columns}>
            <EmployeeNames.Provider value={names}>{page.body}</EmployeeNames.Provider>
          </PageColumns.Provider>
        </RunTime.Provider>
      ),
    };
  });

  site.download(reportAddress(':id', 'results.csv'), async (context) => {
    const runnable = await runnableReport(context, dependencies);
    if ('unusable' in runnable) throw recordNotFound();
    const { report, columns } = runnable;
    const { accountId } = context.user;
    const { asOf, error } = await requestedDate(context, dependencies);
    if (error !== undefined) throw recordNotFound();
    return {
      fileName: `${fileNameOf(report, asOf)}.csv`,
      labels: resultLabels(accountId, report, columns),
      shownRows: formatRowsOf(dependencies.employees, accountId, { report, columnsOfUser: columns }),
      make: (signal) =>
        dependencies.reportResults.export(context.auditContext, report, { signal, columns, asOf }),
    };
  });
}

function pageAddress(id: string, number: number): string {
  return `${reportAddress(id)}?page=${number}`;
}

/** The page of a report that cannot run. */
function unusablePage({ unusable: report, columns }: { unusable: Report; columns: ReportColumns }): PageView {
  return {
    title: report.title,
    actions: <Actions id={report.id} />,
    body: (
      <PageColumns.Provider value={columns}>
        <div class="warning">
          <p>
            This report cannot run: it uses an attribute that was archived or deleted. Edit the report, or
            restore the attribute.
          </p>
        </div>
        <DefinitionDescription report={report} />
      </PageColumns.Provider>
    ),
  };
}

function showPage({
  report,
  columns,
  date,
  run: { result, chart },
  number,
  last,
  printed,
}: {
  report: Report;
  columns: ReportColumns;
  date: RequestedDate;
  run: Awaited<ReturnType<ReportResults['readPageWithChart']>>;
  number: number;
  last: number;
  /** What the page states when it is the one that is printed. */
  printed: { readonly accountName: string; readonly at: Date } | undefined;
}): PageView {
  const { id, title, description } = report;
  const print = printed !== undefined;
  const grouped = report.groupBy.length > 0;
  const employees = chart === null || hasSeveralGroups(report.groupBy) ? undefined : employeesIn(chart);
  const rows = describeRows(result.recordCount, { number, last, grouped, employees });
  const table =
    result.recordCount === 0 ? (
      <Empty title="The report has no rows.">
        <p>No employee of your account meets its filters.</p>
      </Empty>
    ) : (
      <>
        <p class="hint" role="status">
          {rows}
          {print &&
            result.recordCount > printedRows &&
            `, of which this page has the first ${numberText(printedRows)}`}
        </p>
        <ResultTable result={result} caption={title} />
      </>
    );
  return {
    title,
    ...(chart !== null && { script: 'chart-image.js' }),
    actions: <Actions id={id} date={date} print={!print} />,
    body: (
      <>
        {print && <p class="hint screen-only">Print this page with the menu of your browser.</p>}
        {description !== null && <p class="description">{description}</p>}
        <DateNote date={date} />
        {printed === undefined ? (
          <>
            <p>{describeDefinition(report, columns)}.</p>
            <details class="definition">
              <summary>Definition</summary>
              <DefinitionDescription report={report} />
              <p class="hint">
                Last change: <Timestamp at={report.updatedAt} />
              </p>
            </details>
            <DateForm address={reportAddress(id)} date={date} />
          </>
        ) : (
          <DefinitionDescription report={report}>
            <DescriptionItem name="Account">
              <bdi>{printed.accountName}</bdi>
            </DescriptionItem>
            <DescriptionItem name="Date">
              <Timestamp at={printed.at} />
            </DescriptionItem>
            <DescriptionItem name="Result">{rows}</DescriptionItem>
          </DefinitionDescription>
        )}
        {!print && <Exports csv={withDate(reportAddress(id, 'results.csv'), date)} />}
        {chart !== null && (
          <ReportChart
            chart={chart}
            report={report}
            address={(group) => withDate(groupAddress(id, group), date)}
            actions={<ChartDownloads report={report} date={date} />}
          />
        )}
        {table}
        <Pager number={number} last={last} address={(page) => withDate(pageAddress(id, page), date)} />
      </>
    ),
  };
}

function Actions({
  id,
  date = {},
  print = false,
}: {
  id: string;
  date?: Pick<RequestedDate, 'asOf'>;
  print?: boolean;
}) {
  return (
    <div class="row-actions">
      {print && (
        <a class="button secondary" href={withDate(`${reportAddress(id)}?print=yes`, date)}>
          Print view
        </a>
      )}
      <a class="button secondary" href={reportAddress(id, 'edit')}>
        Edit
      </a>
      <a class="button secondary" href={`${newReportPath}?copy=${id}`}>
        Duplicate
      </a>
      <a class="button danger" href={reportAddress(id, 'delete')}>
        Delete
      </a>
    </div>
  );
}

/** The whole result as files. */
function Exports({ csv }: { csv: string }) {
  return (
    <div class="screen-only">
      <p>
        Export:{' '}
        <a href={excelAddress(csv, 'xlsx')} download>
          Excel workbook
        </a>
        {', '}
        <a href={excelAddress(csv)} download>
          CSV for Excel
        </a>
        {', '}
        <a href={csv} download>
          CSV
        </a>
      </p>
      <CsvHint />
    </div>
  );
}
