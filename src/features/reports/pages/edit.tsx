import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import type { Site } from '../../../platform/pages/site.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { Report } from '../report.js';
import { type FormExtras, handleForm, statusOf } from './form-actions.js';
import { ReportFormPage } from './form-page.js';
import { fieldIds, type ReportForm, readReportForm, storedForm } from './report-form.js';
import { type ReportPagesDependencies, reportAddress, requestedReport } from './report-pages.js';

/** Form that changes a report. */
export function editPages(site: Site, dependencies: ReportPagesDependencies): void {
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
