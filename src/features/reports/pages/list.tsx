import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { lastPage, Pager, pageNumber } from '../../../platform/pages/pager.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import type { Report } from '../report.js';
import { describeDefinition } from './definition.js';
import { type ReportPagesDependencies, reportAddress } from './report-pages.js';

const pageSize = 50;

/** The reports of the account, by title. */
export function listPage(site: PageRouter, { reports }: ReportPagesDependencies): void {
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
    return {
      title: 'Reports',
      heading: (
        <div class="heading">
          <h1>Reports</h1>
          {page.recordCount > 0 && <NewReport />}
        </div>
      ),
      body:
        page.recordCount === 0 ? (
          <div class="empty">
            <p>
              <strong>No reports yet.</strong>
            </p>
            <p>
              A report is a saved list of employees, or a count of them by group with a chart. You can
              download it as CSV, and applications can run it.
            </p>
            <NewReport />
          </div>
        ) : (
          <>
            <DataTable
              caption="Reports of your account"
              columns={columnsFor(creators)}
              rows={page.reports}
              rowKey={({ id }) => id}
            />
            <Pager number={number} last={last} address={address} />
          </>
        ),
    };
  });
}

function address(number: number): string {
  return `${reportsPath}?page=${number}`;
}

function NewReport() {
  return (
    <a class="button" href={`${reportsPath}/new`}>
      New report
    </a>
  );
}

function columnsFor(creators: ReadonlyMap<string, string>): Column<Report>[] {
  return [
    column('Title', ({ id, title }) => (
      <a href={reportAddress(id)}>
        <bdi>{title}</bdi>
      </a>
    )),
    column('Shows', describeDefinition),
    column('Last change', ({ updatedAt }) => <Timestamp at={updatedAt} />),
    column('Created by', ({ id }) => <bdi>{creators.get(id) ?? '–'}</bdi>),
  ];
}
