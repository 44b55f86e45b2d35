import { randomId } from '../../../platform/database/ids.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import type { Site } from '../../../platform/pages/site.js';
import { type FormExtras, handleForm, statusOf } from './form-actions.js';
import { ReportFormPage } from './form-page.js';
import { emptyForm, fieldIds, type ReportForm, readReportForm } from './report-form.js';
import { type ReportPagesDependencies, reportAddress } from './report-pages.js';

/** Form for a new report, and its submission. */
export function createPages(site: Site, dependencies: ReportPagesDependencies): void {
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
