import type { Fields } from '../../../platform/pages/fields.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { emptyReportForm, type FilterForm, type ReportForm } from './report-form.js';

export const newReportPath = `${reportsPath}/new`;

/** A form of a grouped report. */
function groupedForm(
  title: string,
  parts: Pick<ReportForm, 'groups'> & Partial<Pick<ReportForm, 'measures' | 'sort' | 'filters'>>,
): ReportForm {
  return { ...emptyReportForm, title, kind: 'groups', ...parts };
}

const withoutTermination: FilterForm = { field: 'termination_date', operator: 'empty', value: '' };

/** Reports that a new account can create without filling in the form, by the name in the address. */
const templates: Readonly<Record<string, ReportForm>> = {
  headcount_by_month: groupedForm('Headcount by month', { groups: ['employed_month'] }),
  turnover: groupedForm('Turnover: people who left by month', {
    groups: ['termination_month'],
    filters: [
      { field: 'termination_date', operator: 'on_or_after', value: '-365d' },
      { field: 'termination_date', operator: 'on_or_before', value: 'today' },
    ],
  }),
  headcount_by_department: groupedForm('Headcount by department', {
    groups: ['department'],
    sort: ['-count'],
    filters: [withoutTermination],
  }),
  tenure_by_department: groupedForm('Average tenure by department', {
    groups: ['department'],
    measures: ['average_tenure'],
    sort: ['-average_tenure'],
    filters: [withoutTermination],
  }),
  tenure_bands: groupedForm('Tenure bands', { groups: ['tenure_band'], filters: [withoutTermination] }),
  hires_this_year: groupedForm('Hires this year by department', {
    groups: ['department'],
    sort: ['-count'],
    filters: [
      { field: 'hire_date', operator: 'on_or_after', value: 'start_of_year' },
      { field: 'hire_date', operator: 'before', value: 'start_of_next_year' },
    ],
  }),
};

/** The form that a query names; `null` without one. An unknown name is none. */
export function templateForm(query: Fields): ReportForm | null {
  const name = query.text('template');
  return Object.hasOwn(templates, name) ? (templates[name] ?? null) : null;
}

/** Whether the page has an empty form, in which nothing was entered. */
export function offersTemplates({ path, query }: PageContext): boolean {
  return path === newReportPath && templateForm(query) === null && query.text('copy') === '';
}

/** Links to the forms of the templates. */
export function ReportTemplates() {
  return (
    <>
      <p>Start with a template:</p>
      <ul>
        {Object.entries(templates).map(([name, { title }]) => (
          <li key={name}>
            <a href={`${newReportPath}?template=${name}`}>{title}</a>
          </li>
        ))}
      </ul>
    </>
  );
}
