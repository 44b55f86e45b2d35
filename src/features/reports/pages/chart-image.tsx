import { ChartFile, chartFileType, svgFile } from '../../../platform/pages/charts/chart-file.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { useTimeText, ViewerContext } from '../../../platform/pages/timestamp.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { Report } from '../report.js';
import type { ChartData } from '../results/report-charts.js';
import { useChart } from './report-chart.js';
import { fileNameOf, type ReportPagesDependencies, reportAddress, runnableReport } from './report-pages.js';
import { EmployeeNames, PageColumns, readEmployeeNames } from './value-text.js';

function chartAddress(id: string): string {
  return reportAddress(id, 'chart.svg');
}

/** Buttons that store the chart of a report as an image. The script makes the PNG; without it, its button stays hidden. */
export function ChartDownloads({ report }: { report: Report }) {
  const address = chartAddress(report.id);
  return (
    <div class="row-actions">
      <a class="button secondary" href={address} download>
        Chart as SVG
      </a>
      <button
        type="button"
        class="secondary"
        data-image={address}
        data-name={`${fileNameOf(report)}.png`}
        hidden
      >
        Chart as PNG
      </button>
    </div>
  );
}

function ReportChartFile({ report, chart, at }: { report: Report; chart: ChartData; at: Date }) {
  const { title, notes, byYear, ...content } = useChart({ report, chart });
  const subtitle = `${title}, ${useTimeText()(at.toISOString(), 'date_time')}`;
  return <ChartFile {...content} title={report.title} notes={[subtitle, ...notes]} columns={byYear} />;
}

/** The chart of a report as an image file. */
export function chartImagePages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  site.download(chartAddress(':id'), async (context) => {
    const runnable = await runnableReport(context, dependencies);
    if ('unusable' in runnable) throw recordNotFound();
    const { report, columns } = runnable;
    const { accountId, at } = context.auditContext;
    const page = { size: 1, from: { skip: 0 } };
    const signal = context.disconnected();
    const run = await dependencies.reportResults.readPageWithChart({
      accountId,
      report,
      columns,
      page,
      signal,
    });
    if (run.chart === null) throw recordNotFound();
    const names = await readEmployeeNames(dependencies.employees, accountId, { report, run, columns });
    const svg = svgFile(
      <ViewerContext.Provider value={context.user}>
        <PageColumns.Provider value={columns}>
          <EmployeeNames.Provider value={names}>
            <ReportChartFile report={report} chart={run.chart} at={at} />
          </EmployeeNames.Provider>
        </PageColumns.Provider>
      </ViewerContext.Provider>,
    );
    return {
      fileName: `${fileNameOf(report)}.svg`,
      mediaType: chartFileType,
      make: async function* () {
        yield Buffer.from(svg);
      },
    };
  });
}
