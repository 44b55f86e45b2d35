import type { Fields } from '../../../platform/pages/fields.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { emptyReportForm, type ReportForm } from './report-form.js';

export const newReportPath = `${reportsPath}/new`;

/** A report that a new account can create without filling in the form. */
const hiresThisYear: ReportForm = {
  ...emptyReportForm,
  title: 'Hires this year by department',
  kind: 'groups',
  groups: ['department'],
  sort: ['-count'],
  filters: [
    { field: 'hire_date', operator: 'on_or_after', value: 'start_of_year' },
    { field: 'hire_date', operator: 'before', value: 'start_of_next_year' },
  ],
};

/** The form that a query names; `null` without one. */
export function readyReport(query: Fields): ReportForm | null {
  return query.text('ready') === 'hires_this_year' ? hiresThisYear : null;
}

/** Whether the page has an empty form, in which nothing was entered. */
export function offersReadyReport({ path, query }: PageContext): boolean {
  return path === newReportPath && query.text('ready') === '' && query.text('copy') === '';
}

/** A sentence that leads to the form of the ready report. */
export function ReadyReportHint() {
  return (
    <p>
      Start with a ready report: <a href={`${newReportPath}?ready=hires_this_year`}>{hiresThisYear.title}</a>
    </p>
  );
}
