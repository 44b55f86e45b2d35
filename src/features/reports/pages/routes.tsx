import { confirmPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import type { Section } from '../../../platform/pages/sections.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { describeDefinition } from './definition.js';
import { createPages, editPages } from './edit.js';
import { listPage } from './list.js';
import { type ReportPagesDependencies, reportAddress, requestedReport } from './report-pages.js';
import { showPages } from './show.js';

function deletePages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  confirmPage(site, reportAddress(':id', 'delete'), {
    reason: 'destroys a report',
    view: async (context) => {
      const report = await requestedReport(context, dependencies);
      const { id, title } = report;
      return {
        title: `Delete ${title}?`,
        parent: { title, href: reportAddress(id) },
        button: 'Delete report',
        cancel: reportAddress(id),
        body: (
          <>
            <p>{describeDefinition(report)}.</p>
            <div class="warning">
              <p>
                Applications that run this report get an error. Employees are not changed. This cannot be
                undone.
              </p>
            </div>
          </>
        ),
      };
    },
    save: async (context) => {
      const { id } = await requestedReport(context, dependencies);
      const outcome = await dependencies.reports.delete(context.auditContext, { id, isExpected: () => true });
      if (outcome === 'not_found') throw recordNotFound();
      return { redirect: withFlash(reportsPath, 'report_deleted') };
    },
  });
}

const section: Section = { title: 'Reports', path: reportsPath, audience: 'administrators' };

/** Reports: the list, and pages that create, run, change and delete one. For owners and administrators. */
export function reportPages(people: PageRouter, dependencies: ReportPagesDependencies): void {
  const site = people.forSection(section);
  listPage(site, dependencies);
  createPages(site, dependencies);
  showPages(site, dependencies);
  editPages(site, dependencies);
  deletePages(site, dependencies);
}
