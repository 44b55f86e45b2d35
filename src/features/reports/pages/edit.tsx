import type { ComponentChildren, ComponentProps } from 'preact';
import { fullAccess } from '../../../platform/contract/attribute-access.js';
import {
  editPage,
  formNonce,
  formPage,
  type Rejection,
  rejected,
} from '../../../platform/pages/define-pages.js';
import { isRecordId, lines } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';
import type { Report } from '../report.js';
import type { ReportColumns } from '../report-columns.js';
import type { FilterChoices } from './filter-choices.js';
import { isDateFilter, withOperator } from './filter-operators.js';
import { mergedReportFields, ReportFields } from './form-page.js';
import { preview } from './preview.js';
import {
  applyButton,
  buttons,
  type EmployeeSearch,
  emptyReportForm,
  type ReportForm,
  readReportForm,
  reportFieldIds,
  requestedSearch,
  storedReportForm,
} from './report-form.js';
import { type ReportPagesDependencies, reportAddress, requestedReport } from './report-pages.js';
import { newReportPath, offersTemplates, ReportTemplates, templateForm } from './report-templates.js';
import { optionsWith } from './report-validator.js';
import { EmployeeNames, employeeIdsIn, PageColumns } from './value-text.js';

/** The form, and what the page shows with it. */
interface ReportState extends ReportForm {
  /** `id` of the element that has the focus, after a button that saves nothing. */
  readonly focus?: string;
  readonly search?: EmployeeSearch;
  readonly preview?: ComponentChildren;
}

/** The form of a new report. */
interface NewReport extends ReportState {
  readonly nonce: string;
}

/**
 * Handles the buttons that save nothing: they change a list of the form, or show a preview. A filter without a value is an error.
 *
 * @param report the report that the form changes; absent for a new one
 * @returns the form to show again; `null` if it is to be saved
 * @throws {Problem} 429 `rate_limit_exceeded`, 503 `service_unavailable`
 */
async function handleButtons<State extends ReportState>(
  context: PageContext,
  dependencies: ReportPagesDependencies,
  { form, report }: { form: State; report?: Report },
): Promise<Rejection<State> | null> {
  const button = context.form.text('do');
  const shown = (changes: Partial<ReportState>) => ({ errors: [], form: { ...form, ...changes } });
  if (button === buttons.refresh) return shown({});
  const columns = await allColumns(context, dependencies);
  const search = requestedSearch(context.form);
  if (search !== undefined) return shown({ search });
  const edited = applyButton(form, button);
  if (edited !== null) return shown({ ...edited.form, focus: edited.focus });
  if (context.form.text(reportFieldIds.next('filter')) !== '') {
    const position = form.filters.length;
    const [added] = form.filters.slice(-1).map((filter) => withOperator(filter, columns));
    // The field for a date is hidden while the date is a relative one.
    return added && isDateFilter(added, columns)
      ? rejected(
          reportFieldIds.filter(position, 'operator'),
          `Filter ${position}: choose a condition and a date.`,
        )
      : rejected(reportFieldIds.filter(position, 'value'), `Filter ${position}: enter a value.`);
  }
  if (button !== buttons.preview) return null;
  const named = form.title === '' ? { ...form, title: 'Preview' } : form;
  const validated = dependencies.validateReport(named, { columns, stored: report });
  if (validated.errors !== undefined) return validated;
  return shown({ preview: await preview(context, dependencies, { content: validated.content, columns }) });
}

/** Every column that the user can choose. */
function allColumns({ user: { accountId } }: PageContext, { reportColumns }: ReportPagesDependencies) {
  return reportColumns.read({ accountId, access: fullAccess });
}

/** The values that the filters of a form offer. Managers are read only for a filter by manager. */
async function filterChoices(
  { user: { accountId } }: PageContext,
  { directory, managerChoices }: ReportPagesDependencies,
  { filters, search }: Pick<ReportState, 'filters' | 'search'>,
): Promise<FilterChoices> {
  const byManager = filters.some(({ field }) => field === 'manager_id');
  const searched = search && filters[search.position - 1]?.field;
  const [choices, managers, employees] = await Promise.all([
    directory.choices(accountId),
    byManager ? managerChoices.all(accountId) : [],
    search &&
      (searched === 'manager_id'
        ? managerChoices.search(accountId, search.text)
        : managerChoices.searchEmployees(accountId, search.text)),
  ]);
  const found = search && employees && { ...search, employees };
  return { ...choices, people: { managers, ...(found && { found }) } };
}

/** The names of the employees in the filters of forms. */
function readFilterNames(
  { user }: PageContext,
  { employees }: ReportPagesDependencies,
  { filters, columns }: { filters: ReportForm['filters']; columns: ReportColumns },
) {
  const given = filters.map(({ field, value }) => ({ field, value: lines(value) }));
  const ids = employeeIdsIn(given, columns);
  return employees.names(user.accountId, new Set(ids));
}

/** The form of a report, with the names of the managers in its filters. */
async function formBody(
  context: PageContext,
  dependencies: ReportPagesDependencies,
  {
    state: { search, focus, preview, ...form },
    ...fields
  }: { readonly state: ReportState } & Omit<
    ComponentProps<typeof ReportFields>,
    'form' | 'focus' | 'preview' | 'options' | 'values'
  >,
) {
  const columns = await allColumns(context, dependencies);
  const filters = form.filters.map((filter) => withOperator(filter, columns));
  const [values, names] = await Promise.all([
    filterChoices(context, dependencies, { filters: form.filters, ...(search && { search }) }),
    readFilterNames(context, dependencies, { filters: form.filters, columns }),
  ]);
  const options = optionsWith(dependencies.validateReport.options, columns);
  return (
    <PageColumns.Provider value={columns}>
      <EmployeeNames.Provider value={names}>
        <ReportFields {...fields} {...{ focus, preview, options, values }} form={{ ...form, filters }} />
      </EmployeeNames.Provider>
    </PageColumns.Provider>
  );
}

/** The form of a new report: empty, or the template or a copy of the report that the query names. */
async function firstForm(
  { query, user }: PageContext,
  { reports }: ReportPagesDependencies,
): Promise<ReportForm> {
  const template = templateForm(query);
  if (template !== null) return template;
  const id = query.text('copy');
  if (id === '') return emptyReportForm;
  const report = found(isRecordId(id) ? await reports.get(user.accountId, id) : null);
  const title = [...`Copy of ${report.title}`].slice(0, 255).join('');
  return { ...storedReportForm(report), title };
}

/** Form for a new report, and its submission. */
export function createReportPages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  const { reports, validateReport } = dependencies;

  formPage<NewReport>(site, reportsPath, {
    page: newReportPath,
    recentPassword: ['no', 'adds a report'],
    initial: async (context) => ({
      ...(await firstForm(context, dependencies)),
      nonce: formNonce(context),
    }),
    read: (context) => ({ ...readReportForm(context.form), nonce: formNonce(context) }),
    view: async (context, { nonce, ...state }) => ({
      title: 'New report',
      script: 'report-builder.js',
      body: (
        <>
          {offersTemplates(context) && <ReportTemplates />}
          {
            await formBody(context, dependencies, {
              state,
              nonce,
              action: reportsPath,
              back: reportsPath,
              button: 'Create report',
            })
          }
        </>
      ),
    }),
    save: async (context, state) => {
      const handled = await handleButtons(context, dependencies, { form: state });
      if (handled !== null) return handled;
      const columns = await allColumns(context, dependencies);
      const validated = validateReport(state, { columns });
      if (validated.errors !== undefined) return validated;
      const { nonce } = state;
      const created = await reports.createThroughForm(context.auditContext, { ...validated, nonce });
      switch (created.kind) {
        case 'created':
          return { redirect: withFlash(reportAddress(created.id), 'report_created') };
        case 'repeated':
          return { redirect: withFlash(reportAddress(created.id), 'report_exists') };
        case 'limit_reached': {
          const message = `The account has reached its limit of ${created.limit} saved reports. Delete a report before you create one.`;
          return rejected(reportFieldIds.title, message, 409);
        }
      }
    },
  });
}

/** Form that changes a report. */
export function editReportPages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  const { reports, validateReport } = dependencies;

  editPage<Report, ReportState>(site, reportAddress(':id', 'edit'), {
    recentPassword: ['no', 'changes a report'],
    load: (context) => requestedReport(context, dependencies),
    toForm: (_, report) => storedReportForm(report),
    read: ({ form }) => readReportForm(form),
    merged: mergedReportFields,
    view: async (context, { stored: { id, title }, form: state }) => ({
      title: `Edit ${title}`,
      script: 'report-builder.js',
      parent: { title, href: reportAddress(id) },
      body: await formBody(context, dependencies, {
        state,
        back: reportAddress(id),
        button: 'Save changes',
      }),
    }),
    provide: async (context, forms, comparison) => {
      const filters = forms.flatMap((form) => form.filters);
      const columns = await allColumns(context, dependencies);
      const names = await readFilterNames(context, dependencies, { filters, columns });
      return (
        <PageColumns.Provider value={columns}>
          <EmployeeNames.Provider value={names}>{comparison}</EmployeeNames.Provider>
        </PageColumns.Provider>
      );
    },
    preview: (context, { stored, form }) => handleButtons(context, dependencies, { form, report: stored }),
    save: async (context, { stored: report, form }) => {
      const columns = await allColumns(context, dependencies);
      const validated = validateReport(form, { columns, stored: report });
      if (validated.errors !== undefined) return validated;
      const outcome = await reports.update(context.auditContext, {
        id: report.id,
        changes: validated.content,
        access: fullAccess,
        isExpected: ({ version }) => version === report.version,
      });
      switch (outcome.kind) {
        case 'updated':
          return { redirect: withFlash(reportAddress(report.id), 'report_updated') };
        case 'not_found':
          throw recordNotFound();
        case 'conflict':
          return { conflict: outcome.stored };
        case 'invalid':
          throw new Error('A validated form has an invalid definition');
      }
    },
  });
}
