import type { ComponentChildren } from 'preact';
import { formNonce, formPage, type Rejection, rejected } from '../../../platform/pages/define-pages.js';
import { isRecordId } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';
import { type Report, type ReportContent, toStored } from '../report.js';
import { ReportFields } from './form-page.js';
import { ReportChart } from './report-chart.js';
import {
  applyButton,
  buttons,
  emptyForm,
  fieldIds,
  type ReportForm,
  readReportForm,
  storedForm,
} from './report-form.js';
import { type ReportPagesDependencies, reportAddress, requestedReport } from './report-pages.js';
import { ResultTable } from './show.js';
import { ManagerNames, readManagerNames } from './value-text.js';

/** Rows of a preview. */
const previewRows = 10;

/** The form, and what the page shows with it. */
interface ReportState {
  readonly form: ReportForm;
  /** `id` of the element that has the focus, after a button that saves nothing. */
  readonly focus?: string;
  readonly preview?: ComponentChildren;
}

/** The form of a new report. */
interface NewReport extends ReportState {
  readonly nonce: string;
}

/** The form of a report that is changed. */
interface EditedReport extends ReportState {
  readonly report: Report;
  readonly version: string;
  /** The saved report, when another user or application has changed it meanwhile. */
  readonly stored?: Report;
}

/**
 * Handles the buttons that save nothing: they change a list of the form, or show a preview. Other submissions are validated.
 *
 * @param report the report that the form changes; absent for a new one
 * @returns the content to save, or the form to show again
 * @throws {Problem} 429 `rate_limit_exceeded`, 503 `service_unavailable`
 */
async function handleForm<State extends ReportState>(
  context: PageContext,
  dependencies: ReportPagesDependencies,
  { state, report }: { state: State; report?: Report },
): Promise<{ readonly content: ReportContent } | Rejection<State>> {
  const button = context.form.text('do');
  const { form } = state;
  const shown = (changes: ReportState) => ({ errors: [], form: { ...state, ...changes } });
  if (button === buttons.refresh) return shown({ form });
  const edited = applyButton(form, button);
  if (edited !== null) return shown(edited);
  if (context.form.text(fieldIds.next('filter')) !== '') {
    const position = form.filters.length;
    return rejected(fieldIds.filter(position, 'value'), `Filter ${position}: enter a value.`);
  }
  const isPreview = button === buttons.preview;
  const named = isPreview && form.title === '' ? { ...form, title: 'Preview' } : form;
  const validated = dependencies.validateReport(named, report);
  if (validated.errors !== undefined || !isPreview) return validated;
  return shown({ form, preview: await preview(context, dependencies, validated.content) });
}

async function preview(context: PageContext, dependencies: ReportPagesDependencies, content: ReportContent) {
  const report = { ...content, ...toStored(content), filters: content.filters, version: 0 };
  const { result, chart } = await dependencies.reportResults.readPageWithChart({
    accountId: context.auditContext.accountId,
    report,
    page: { size: previewRows, from: { skip: 0 } },
    signal: context.disconnected(),
  });
  const shown = Math.min(previewRows, result.recordCount);
  const { accountId } = context.auditContext;
  const names = await readManagerNames(dependencies.employees, accountId, { report, run: { result, chart } });
  return (
    <ManagerNames.Provider value={names}>
      <section class="preview">
        <h2 tabIndex={-1} autofocus>
          Preview
        </h2>
        <p role="status">
          {result.recordCount === 0
            ? 'The report has no rows.'
            : `The first ${shown} of ${result.recordCount.toLocaleString('en')} rows. The report is not saved yet.`}
        </p>
        {chart !== null && <ReportChart chart={chart} report={report} />}
        {result.recordCount > 0 && <ResultTable result={result} caption="Preview" />}
      </section>
    </ManagerNames.Provider>
  );
}

/** The form of a new report: empty, or a copy of the report that the query names. */
async function firstForm(
  { query, user }: PageContext,
  { reports }: ReportPagesDependencies,
): Promise<ReportForm> {
  const id = query.text('copy');
  if (id === '') return emptyForm;
  const report = found(isRecordId(id) ? await reports.get(user.accountId, id) : null);
  const title = [...`Copy of ${report.title}`].slice(0, 255).join('');
  return { ...storedForm(report), title };
}

/** Form for a new report, and its submission. */
export function createPages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  const { reports, validateReport } = dependencies;

  formPage<NewReport>(site, reportsPath, {
    page: `${reportsPath}/new`,
    recentPassword: ['no', 'adds a report'],
    initial: async (context) => ({
      form: await firstForm(context, dependencies),
      nonce: formNonce(context),
    }),
    read: (context) => ({ form: readReportForm(context.form), nonce: formNonce(context) }),
    view: async (context, { nonce, ...state }) => ({
      title: 'New report',
      script: 'report-builder.js',
      body: (
        <ReportFields
          {...state}
          action={reportsPath}
          back={reportsPath}
          button="Create report"
          options={validateReport.options}
          values={await dependencies.directory.choices(context.user.accountId)}
          hidden={['form', nonce]}
        />
      ),
    }),
    save: async (context, state) => {
      const handled = await handleForm(context, dependencies, { state });
      if ('errors' in handled) return handled;
      const { nonce } = state;
      const created = await reports.createThroughForm(context.auditContext, { ...handled, nonce });
      switch (created.kind) {
        case 'created':
          return { redirect: withFlash(reportAddress(created.id), 'report_created') };
        case 'repeated':
          return { redirect: withFlash(reportAddress(created.id), 'report_exists') };
        case 'limit_reached': {
          const message = `The account has reached its limit of ${created.limit} saved reports. Delete a report before you create one.`;
          return rejected(fieldIds.title, message, 409);
        }
      }
    },
  });
}

/** Form that changes a report. */
export function editPages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  const { reports, validateReport } = dependencies;

  formPage<EditedReport>(site, reportAddress(':id', 'edit'), {
    recentPassword: ['no', 'changes a report'],
    initial: async (context) => {
      const report = await requestedReport(context, dependencies);
      return { report, form: storedForm(report), version: String(report.version) };
    },
    read: async (context) => {
      const report = await requestedReport(context, dependencies);
      return { report, form: readReportForm(context.form), version: context.form.text('version') };
    },
    view: async (context, { report: { id, title }, version, ...state }) => ({
      title: `Edit ${title}`,
      script: 'report-builder.js',
      parent: { title, href: reportAddress(id) },
      body: (
        <ReportFields
          {...state}
          back={reportAddress(id)}
          button="Save changes"
          options={validateReport.options}
          values={await dependencies.directory.choices(context.user.accountId)}
          hidden={['version', version]}
        />
      ),
    }),
    save: async (context, state) => {
      const { report, version } = state;
      const handled = await handleForm(context, dependencies, { state, report });
      if ('errors' in handled) return handled;
      const outcome = await reports.update(context.auditContext, {
        id: report.id,
        changes: handled.content,
        isExpected: (stored) => String(stored.version) === version,
      });
      switch (outcome.kind) {
        case 'updated':
          return { redirect: withFlash(reportAddress(report.id), 'report_updated') };
        case 'not_found':
          throw recordNotFound();
        case 'conflict': {
          const message =
            'This report was changed while you were editing it. Compare the saved values with yours. To replace them, save again.';
          const current = { version: String(report.version), stored: report };
          return { ...rejected(fieldIds.title, message, 409), form: { ...state, ...current } };
        }
        case 'invalid':
          throw new Error('A validated form has an invalid definition');
      }
    },
  });
}
