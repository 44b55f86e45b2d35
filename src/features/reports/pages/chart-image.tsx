import { ChartFile, chartFileType, svgFile } from '../../../platform/pages/charts/chart-file.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { useTimeText, ViewerContext } from '../../../platform/pages/timestamp.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { AsOf } from '../../employees/index.js';
import type { Report } from '../report.js';
import type { ChartData } from '../results/report-charts.js';
import { type RequestedDate, requestedDate, withDate } from './as-of.js';
import { useChart } from './report-chart.js';
import { fileNameOf, type ReportPagesDependencies, reportAddress, runnableReport } from './report-pages.js';
import { EmployeeNames, PageColumns, readEmployeeNames } from './value-text.js';

function chartAddress(id: string): string {
  return reportAddress(id, 'chart.svg');
}

/** Buttons that store the chart of a report as an image. The script makes the PNG; without it, its button stays hidden. */
export function ChartDownloads({ report, date }: { report: Report; date: Pick<RequestedDate, 'asOf'> }) {
  const address = withDate(chartAddress(report.id), date);
  return (
    <div class="row-actions">
      <a class="button secondary" href={address} download>
        Chart as SVG
      </a>
      <button
        type="button"
        class="secondary"
        data-image={address}
        data-name={`${fileNameOf(report, date.asOf)}.png`}
        hidden
      >
        Chart as PNG
      </button>
    </div>
  );
}

function ReportChartFile({
  report,
  chart,
  at,
  asOf,
}: {
  report: Report;
  chart: ChartData;
  at: Date;
  asOf: AsOf | undefined;
}) {
  const { title, notes, inColumns, ...content } = useChart({ report, chart });
  const timeText = useTimeText();
  const time = asOf === undefined ? timeText(at.toISOString(), 'date_time') : timeText(asOf.date, 'date');
  const subtitle = `${title}, ${time}`;
  return <ChartFile {...content} title={report.title} notes={[subtitle, ...notes]} columns={inColumns} />;
}

/** The chart of a report as an image file. */
export function chartImagePages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  site.download(chartAddress(':id'), async (context) => {
    const runnable = await runnableReport(context, dependencies);
    if ('unusable' in runnable) throw recordNotFound();
    const { report, columns } = runnable;
    const { accountId, at } = context.auditContext;
    const { asOf, error } = await requestedDate(context, dependencies);
    if (error !== undefined) throw recordNotFound();
    const page = { size: 1, from: { skip: 0 } };
    const signal = context.disconnected();
    const run = await dependencies.reportResults.readPageWithChart({
      accountId,
      report,
      columns,
      asOf,
      page,
      signal,
    });
    if (run.chart === null) throw recordNotFound();
    const names = await readEmployeeNames(dependencies.employees, accountId, { report, run, columns });
    const svg = svgFile(
      <ViewerContext.Provider value={context.user}>
        <PageColumns.Provider value={columns}>
          <EmployeeNames.Provider value={names}>
            <ReportChartFile report={report} chart={run.chart} at={at} asOf={asOf} />
          </EmployeeNames.Provider>
        </PageColumns.Provider>
      </ViewerContext.Provider>,
    );
    return {
      fileName: `${fileNameOf(report, asOf)}.svg`,
      mediaType: chartFileType,
      make: async function* () {
        yield Buffer.from(svg);
      },
    };
  });
}
