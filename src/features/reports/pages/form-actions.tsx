import type { FormError } from '../../../platform/pages/form-parts.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import type { Report, ReportContent } from '../report.js';
import { toStored } from '../report.js';
import { addFilter, removeFilter } from './filter-fields.js';
import type { ReportFormPageProps } from './form-page.js';
import { ReportChart } from './report-chart.js';
import type { ReportForm } from './report-form.js';
import { type ReportPagesDependencies, runReport } from './report-pages.js';
import { ResultTable } from './result-table.js';

/** Rows of a preview. */
const previewRows = 10;

/** Content of the form page in addition to the form. */
export type FormExtras = Pick<ReportFormPageProps, 'errors' | 'filterRows' | 'preview' | 'stored'>;

/**
 * Handles the buttons that save nothing: they add or remove a filter, or show a preview. Other submissions are validated.
 *
 * @param options.stored the report that the form changes; absent for a new one
 * @param options.show renders the form again
 * @returns the content to save, or the response
 * @throws {Problem} 429 `rate_limit_exceeded`, 503 `service_unavailable`
 */
export async function handleForm(
  context: PageContext,
  dependencies: ReportPagesDependencies,
  {
    form,
    stored,
    show,
  }: {
    form: ReportForm;
    stored?: Report;
    show: (form: ReportForm, extras: FormExtras) => PageResponse;
  },
): Promise<{ readonly content: ReportContent } | { readonly response: PageResponse }> {
  const button = context.form.text('do');
  const { filters } = form;
  if (button === addFilter) return { response: show(form, { filterRows: filters.length + 1 }) };
  if (button.startsWith(removeFilter)) {
    const removed = Number(button.slice(removeFilter.length));
    return { response: show({ ...form, filters: filters.filter((_, index) => index !== removed - 1) }, {}) };
  }
  const validated = dependencies.validateReport(form, stored);
  if (validated.errors !== undefined) return { response: show(form, { errors: validated.errors }) };
  if (button !== 'preview') return validated;
  return { response: show(form, { preview: await preview(context, dependencies, validated.content) }) };
}

async function preview(context: PageContext, dependencies: ReportPagesDependencies, content: ReportContent) {
  const report = { ...content, ...toStored(content), filters: content.filters, version: 0 };
  const { result, chart } = await runReport(context, dependencies, { report, size: previewRows, skip: 0 });
  const shown = Math.min(previewRows, result.recordCount);
  return (
    <section class="preview">
      <h2>Preview</h2>
      <p role="status">
        {result.recordCount === 0
          ? 'The report has no rows.'
          : `The first ${shown} of ${result.recordCount.toLocaleString('en')} rows. The report is not saved yet.`}
      </p>
      {chart !== null && <ReportChart chart={chart} report={report} />}
      {result.recordCount > 0 && <ResultTable result={result} caption="Preview" />}
    </section>
  );
}

/** Status of a page with a form. */
export function statusOf(errors: readonly FormError[] | undefined): number {
  return errors === undefined ? 200 : 400;
}
