import { numberText } from '../../../platform/counted.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { type ReportContent, toStored } from '../report.js';
import type { ReportColumns } from '../report-columns.js';
import { ReportChart } from './report-chart.js';
import type { ReportPagesDependencies } from './report-pages.js';
import { ResultTable } from './result-table.js';
import { EmployeeNames, readEmployeeNames } from './value-text.js';

/** Rows of a preview. */
const previewRows = 10;

/** The first rows of a report that is not saved, and its chart. */
export async function preview(
  context: PageContext,
  dependencies: ReportPagesDependencies,
  { content, columns }: { content: ReportContent; columns: ReportColumns },
) {
  const report = { ...content, ...toStored(content), filters: content.filters, version: 0 };
  const { result, chart } = await dependencies.reportResults.readPageWithChart({
    accountId: context.auditContext.accountId,
    report,
    columns,
    page: { size: previewRows, from: { skip: 0 } },
    signal: context.disconnected(),
  });
  const shown = Math.min(previewRows, result.recordCount);
  const { accountId } = context.auditContext;
  const names = await readEmployeeNames(dependencies.employees, accountId, {
    ...{ report, columns },
    run: { result, chart },
  });
  return (
    <EmployeeNames.Provider value={names}>
      <section class="preview">
        <h2 tabIndex={-1} autofocus>
          Preview
        </h2>
        <p role="status">
          {result.recordCount === 0
            ? 'The report has no rows.'
            : `The first ${shown} of ${numberText(result.recordCount)} rows. The report is not saved yet.`}
        </p>
        {chart !== null && <ReportChart chart={chart} report={report} />}
        {result.recordCount > 0 && <ResultTable result={result} caption="Preview" />}
      </section>
    </EmployeeNames.Provider>
  );
}
