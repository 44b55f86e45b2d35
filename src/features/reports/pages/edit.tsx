import { randomId } from '../../../platform/database/ids.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { type Report, type ReportContent, toStored } from '../report.js';
import { addFilter, ReportFormPage, type ReportFormPageProps, removeFilter } from './form-page.js';
import { ReportChart } from './report-chart.js';
import { emptyForm, fieldIds, type ReportForm, readReportForm, storedForm } from './report-form.js';
import { type ReportPagesDependencies, reportAddress, requestedReport, runReport } from './report-pages.js';
import { ResultTable } from './show.js';

/** Rows of a preview. */
const previewRows = 10;

/** Content of the form page in addition to the form. */
type FormExtras = Pick<ReportFormPageProps, 'errors' | 'filterRows' | 'preview' | 'stored'>;

/**
 * Handles the buttons that save nothing: they add or remove a filter, or show a preview. Other submissions are validated.
 *
 * @param options.stored the report that the form changes; absent for a new one
 * @param options.show renders the form again
 * @returns the content to save, or the response
 * @throws {Problem} 429 `rate_limit_exceeded`, 503 `service_unavailable`
 */
async function handleForm(
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
function statusOf(errors: readonly FormError[] | undefined): number {
  return errors === undefined ? 200 : 400;
}

/** Form for a new report, and its submission. */
export function createPages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  const { reports, validateReport } = dependencies;
  const formPage = (context: PageContext, form: ReportForm, extras: FormExtras & { nonce: string }) => {
    const { nonce, ...more } = extras;
    return (
      <ReportFormPage
        context={context}
        title="New report"
        action={reportsPath}
        back={reportsPath}
        button="Create report"
        form={form}
        options={validateReport.options}
        hidden={{ form: nonce }}
        {...more}
      />
    );
  };

  site.get(`${reportsPath}/new`, async (context) => ({
    page: formPage(context, emptyForm, { nonce: randomId() }),
  }));

  site.post(
    reportsPath,
    async (context) => {
      const form = readReportForm(context.form);
      const nonce = context.form.text('form') || randomId();
      const show = (shown: ReportForm, extras: FormExtras): PageResponse => ({
        status: statusOf(extras.errors),
        page: formPage(context, shown, { ...extras, nonce }),
      });
      const handled = await handleForm(context, dependencies, { form, show });
      if ('response' in handled) return handled.response;
      const created = await reports.createThroughForm(context.auditContext, { ...handled, nonce });
      switch (created.kind) {
        case 'created':
          return { redirect: withNotice(reportAddress(created.id), 'report_created') };
        case 'repeated':
          return { redirect: withNotice(reportAddress(created.id), 'report_exists') };
        case 'quota_exceeded': {
          const message = `The account has reached its limit of ${created.limit} saved reports. Delete a report before you create one.`;
          const errors = [{ field: fieldIds.title, message }];
          return { ...show(form, { errors }), status: 409 };
        }
        case 'invalid':
          throw new Error('A validated form has an invalid definition');
      }
    },
    {
      restore: async (context) => {
        const nonce = context.form.text('form') || randomId();
        return { page: formPage(context, readReportForm(context.form), { nonce }) };
      },
    },
  );
}

/** Form that changes a report. */
export function editPages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  const { reports, validateReport } = dependencies;
  const path = `${reportsPath}/:id/edit`;

  const formPage = (
    context: PageContext,
    { id, title }: Report,
    { form, version, ...extras }: FormExtras & { form: ReportForm; version: string },
  ) => (
    <ReportFormPage
      context={context}
      title={`Edit ${title}`}
      parent={{ title, href: reportAddress(id) }}
      action={reportAddress(id, 'edit')}
      back={reportAddress(id)}
      button="Save changes"
      form={form}
      options={validateReport.options}
      hidden={{ version }}
      {...extras}
    />
  );

  site.get(path, async (context) => {
    const report = await requestedReport(context, dependencies);
    return { page: formPage(context, report, { form: storedForm(report), version: String(report.version) }) };
  });

  site.post(
    path,
    async (context) => {
      const report = await requestedReport(context, dependencies);
      const form = readReportForm(context.form);
      const version = context.form.text('version');
      const show = (shown: ReportForm, extras: FormExtras): PageResponse => ({
        status: statusOf(extras.errors),
        page: formPage(context, report, { form: shown, version, ...extras }),
      });
      const handled = await handleForm(context, dependencies, { form, stored: report, show });
      if ('response' in handled) return handled.response;
      const outcome = await reports.update(context.auditContext, {
        id: report.id,
        changes: handled.content,
        isExpected: (stored) => String(stored.version) === version,
      });
      switch (outcome.kind) {
        case 'updated':
          return { redirect: withNotice(reportAddress(report.id), 'report_updated') };
        case 'unknown':
          throw recordNotFound();
        case 'changed_meanwhile':
          return { status: 409, page: formPage(context, report, conflict(form, report)) };
        case 'invalid':
          throw new Error('A validated form has an invalid definition');
      }
    },
    {
      restore: async (context) => {
        const report = await requestedReport(context, dependencies);
        const form = readReportForm(context.form);
        return { page: formPage(context, report, { form, version: context.form.text('version') }) };
      },
    },
  );
}

/** The form with the values that were not saved, and those that another user or application has saved. */
function conflict(form: ReportForm, stored: Report) {
  const message =
    'This report was changed while you were editing it. Compare the saved values with yours. To replace them, save again.';
  const errors = [{ field: fieldIds.title, message }];
  return { form, version: String(stored.version), errors, stored };
}
