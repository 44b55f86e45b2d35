import { reportsSection } from '../../../platform/pages/audience.js';
import { type Column, column, DataTable, Empty } from '../../../platform/pages/data-table.js';
import { confirmPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { lastPage, Pager, pageNumber } from '../../../platform/pages/pager.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { Report } from '../report.js';
import type { ReportColumns } from '../report-columns.js';
import { chartImagePages } from './chart-image.js';
import { describeDefinition } from './definition.js';
import { createReportPages, editReportPages } from './edit.js';
import { groupPages } from './group.js';
import { headcountPages, headcountPath } from './headcount.js';
import { columnsFor, type ReportPagesDependencies, reportAddress, requestedReport } from './report-pages.js';
import { newReportPath, ReportTemplates } from './report-templates.js';
import { showReportPages } from './show.js';

function deletePages(site: PageRouter, dependencies: ReportPagesDependencies): void {
  confirmPage(site, reportAddress(':id', 'delete'), {
    reason: 'destroys a report',
    view: async (context) => {
      const report = await requestedReport(context, dependencies);
      const { id, title } = report;
      const columns = await columnsFor(context, dependencies, [report]);
      return {
        title: `Delete ${title}?`,
        parent: { title, href: reportAddress(id) },
        button: 'Delete report',
        cancel: reportAddress(id),
        body: (
          <>
            <p>{describeDefinition(report, columns)}.</p>
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

/** Reports: the list, and pages that create, run, change and delete one. For owners and administrators. */
export function reportPages(people: PageRouter, dependencies: ReportPagesDependencies): void {
  const site = people.forSection(reportsSection);
  listPage(site, dependencies);
  createReportPages(site, dependencies);
  headcountPages(site, dependencies);
  showReportPages(site, dependencies);
  groupPages(site, dependencies);
  chartImagePages(site, dependencies);
  editReportPages(site, dependencies);
  deletePages(site, dependencies);
}

const pageSize = 50;

/** The reports of the account, by title. */
function listPage(site: PageRouter, dependencies: ReportPagesDependencies): void {
  const { reports } = dependencies;
  site.get(reportsPath, async (context) => {
    const number = pageNumber(context.query);
    const { accountId } = context.auditContext;
    const page = await reports.list(accountId, {
      sort: [{ key: 'title', descending: false }],
      size: pageSize,
      from: { skip: (number - 1) * pageSize },
    });
    const last = lastPage(page.recordCount, pageSize);
    if (number > last) return { redirect: address(last) };
    const creators = await reports.creatorNames(accountId, page.reports);
    const columns = await columnsFor(context, dependencies, page.reports);
    return {
      title: 'Reports',
      actions: page.recordCount > 0 && <NewReport />,
      body:
        page.recordCount === 0 ? (
          <Empty title="No reports yet.">
            <p>
              A report is a saved list of employees, or a count of them by group with a chart. You can
              download it as an Excel workbook or as CSV, and applications can run it.
            </p>
            <NewReport />
            <ReportTemplates />
            <HeadcountLink />
          </Empty>
        ) : (
          <>
            <DataTable
              caption="Reports of your account"
              columns={shownColumns(creators, columns)}
              rows={page.reports}
            />
            <Pager number={number} last={last} address={address} />
            <HeadcountLink />
          </>
        ),
    };
  });
}

function address(number: number): string {
  return `${reportsPath}?page=${number}`;
}

function HeadcountLink() {
  return (
    <p>
      <a href={headcountPath}>Headcount over time</a>
    </p>
  );
}

function NewReport() {
  return (
    <a class="button" href={newReportPath}>
      New report
    </a>
  );
}

function shownColumns(creators: ReadonlyMap<string, string>, columns: ReportColumns): Column<Report>[] {
  return [
    column('Title', ({ id, title }) => (
      <a href={reportAddress(id)}>
        <bdi>{title}</bdi>
      </a>
    )),
    column('Shows', (report) => describeDefinition(report, columns)),
    column('Last change', ({ updatedAt }) => <Timestamp at={updatedAt} />),
    column('Created by', ({ id }) => <bdi>{creators.get(id) ?? '–'}</bdi>),
  ];
}
