import { ConfirmForm } from '../../../platform/pages/confirm-form.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { definitionWords } from './definition-facts.js';
import { createPages, editPages } from './edit.js';
import { listPage } from './list.js';
import { type ReportPagesDependencies, reportAddress, requestedReport } from './report-pages.js';
import { showPages } from './show.js';

/** Confirmation page, and deletion of a report. */
function deletePages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  const path = `${reportsPath}/:id/delete`;

  site.get(path, async (context) => {
    const report = await requestedReport(context, dependencies);
    const { id } = report;
    const title = `Delete ${report.title}?`;
    const parent = { title: report.title, href: reportAddress(id) };
    return {
      page: (
        <SitePage context={context} title={title} section="reports" parent={parent}>
          <h1>{title}</h1>
          <p>{definitionWords(report)}.</p>
          <div class="warning">
            <p>
              Applications that run this report get an error. Employees are not changed. This cannot be
              undone.
            </p>
          </div>
          <ConfirmForm
            context={context}
            action={reportAddress(id, 'delete')}
            button="Delete report"
            cancel={reportAddress(id)}
          />
        </SitePage>
      ),
    };
  });

  site.post(path, async (context) => {
    const { id } = await requestedReport(context, dependencies);
    const outcome = await dependencies.reports.delete(context.auditContext, { id, isExpected: () => true });
    if (outcome === 'unknown') throw recordNotFound();
    return { redirect: withNotice(reportsPath, 'report_deleted') };
  });
}

/** Reports: the list, and pages that create, run, change and delete one. For owners and administrators. */
export function reportPages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  listPage(site, dependencies);
  createPages(site, dependencies);
  showPages(site, dependencies);
  editPages(site, dependencies);
  deletePages(site, dependencies);
}
