import { type Database, Prisma } from '../../database/client.js';
import type { Report as ReportRow } from '../../database/generated/client.js';
import type { Anchor } from '../../database/keyset.js';
import { cutPage, pageQuery } from '../../database/page-query.js';
import type { AccountId } from '../account-id.js';
import { preventApplicationDeletion } from '../applications/lock-application.js';
import type { ApplicationAuditContext } from '../audit-context.js';
import { type Idempotency, transactionLimits } from '../idempotency/idempotency.js';
import type { IdempotentRequest, StoredResponse } from '../idempotency/idempotent-request.js';
import { findDefinitionErrors } from './definition-rules.js';
import { insertReport } from './insert-report.js';
import { lockReport, type VersionCheck } from './lock-report.js';
import { recordReportEvent } from './record-report-event.js';
import { type Report, toReport, toStored } from './report.js';
import { changedContent, newContent, type ReportChanges } from './report-changes.js';
import {
  fromReportAnchor,
  type ReportAnchor,
  type ReportSort,
  reportOrder,
  toReportAnchor,
} from './report-order.js';
import {
  ApplicationDeletedError,
  type CreatedReport,
  type DeletedReport,
  type UpdatedReport,
} from './report-outcomes.js';
import { checkReportQuota, ReportQuotaError } from './report-quota.js';

/** Which page of the list. */
export interface ReportListRequest {
  /** Empty: by id. */
  readonly sort: readonly ReportSort[];
  readonly size: number;
  /** Where to begin: after a report of an earlier page, or after so many reports. */
  readonly from: { readonly anchor: ReportAnchor } | { readonly skip: number };
}

export interface ReportPage {
  readonly reports: readonly Report[];
  /** Number of reports on all pages together. */
  readonly recordCount: number;
  /** Where the next page begins; `null` when no report is left. */
  readonly nextAnchor: ReportAnchor | null;
}

/** The report to create. */
export interface NewReport {
  /** Members that are absent get their defaults. */
  readonly content: ReportChanges & { readonly title: string };
  /** Names the request; absent, a repetition creates another report. */
  readonly repeatable: Pick<IdempotentRequest, 'key' | 'operation' | 'payload'> | undefined;
  /** Makes the response that a repetition gets. */
  readonly describe: (report: Report) => StoredResponse;
}

const reportSelection = Prisma.sql`
  id, title, description, columns, filters, sort, group_by AS "groupBy", version, created_at AS "createdAt",
  updated_at AS "updatedAt"`;

/** The saved reports of accounts. Each change is one transaction together with its audit event. */
export class Reports {
  readonly #prisma: Database['prisma'];
  readonly #idempotency: Idempotency;
  readonly #maxReports: number;

  /** @param options.maxReports reports that an account may have; 0 is any number */
  constructor(
    { prisma }: Database,
    { idempotency, maxReports }: { idempotency: Idempotency; maxReports: number },
  ) {
    this.#prisma = prisma;
    this.#idempotency = idempotency;
    this.#maxReports = maxReports;
  }

  /** Reads the account's report with this id; `null` when there is none, or it is another account's. */
  async get(accountId: AccountId, id: string): Promise<Report | null> {
    const row = await this.#prisma.report.findFirst({ where: { id, accountId } });
    return row === null ? null : toReport(row);
  }

  /** Reads a page of an account's reports. Equal ones are in order of id, in the direction of the last key. */
  async list(accountId: AccountId, { sort, size, from }: ReportListRequest): Promise<ReportPage> {
    const query = pageQuery(
      {
        source: Prisma.sql`reports`,
        condition: Prisma.sql`account_id = ${accountId}`,
        order: reportOrder(sort),
      },
      reportSelection,
      { size, start: 'anchor' in from ? { anchor: fromReportAnchor(from.anchor) } : from },
    );
    const [totals, found] = await Promise.all([
      this.#prisma.accountTotals.findFirst({ where: { accountId } }),
      this.#prisma.$queryRaw<(ReportRow & { anchor: Anchor })[]>(query),
    ]);
    const { rows, nextAnchor } = cutPage(found, size);
    return {
      reports: rows.map(toReport),
      recordCount: totals?.reports ?? 0,
      nextAnchor: nextAnchor === null ? null : toReportAnchor(nextAnchor),
    };
  }

  /** Saves a report, together with the response that a repetition gets. */
  async create(
    auditContext: ApplicationAuditContext,
    { content: given, repeatable, describe }: NewReport,
  ): Promise<CreatedReport> {
    const content = newContent(given);
    const errors = findDefinitionErrors(content);
    if (errors.length > 0) return { kind: 'invalid', errors };
    const { applicationId, userId, accountId, at } = auditContext;
    const prepare = async (tx: Prisma.TransactionClient) => {
      if (!(await preventApplicationDeletion(tx, accountId, applicationId)))
        throw new ApplicationDeletedError();
    };
    const work = async (tx: Prisma.TransactionClient) => {
      const report = await insertReport(tx, auditContext, content);
      await checkReportQuota(tx, accountId, this.#maxReports);
      return describe(report);
    };
    try {
      if (repeatable !== undefined) {
        return await this.#idempotency.respondOnce(
          { ...repeatable, accountId, applicationId, userId, at },
          { prepare, work },
        );
      }
      const response = await this.#prisma.$transaction(async (tx) => {
        await prepare(tx);
        return work(tx);
      }, transactionLimits);
      return { kind: 'completed', response };
    } catch (error) {
      if (error instanceof ApplicationDeletedError) return { kind: 'application_deleted' };
      if (error instanceof ReportQuotaError) return { kind: 'quota_exceeded', limit: this.#maxReports };
      throw error;
    }
  }

  /** Changes the report that is meant; members that are absent stay as they are. */
  update(
    auditContext: ApplicationAuditContext,
    { id, changes, isMeant }: { id: string; changes: ReportChanges; isMeant: VersionCheck },
  ): Promise<UpdatedReport> {
    const { accountId, at } = auditContext;
    return this.#prisma.$transaction(async (tx): Promise<UpdatedReport> => {
      const current = await lockReport(tx, accountId, id);
      if (current === null) return { kind: 'unknown' };
      if (!isMeant(current)) return { kind: 'changed_meanwhile' };
      const content = changedContent(current, changes);
      const errors = findDefinitionErrors(content);
      if (errors.length > 0) return { kind: 'invalid', errors };
      const row = await tx.report.update({
        where: { accountId_id: { accountId, id } },
        data: { ...toStored(content), version: { increment: 1 }, updatedAt: at },
      });
      await recordReportEvent(tx, 'report.updated', auditContext, row);
      return { kind: 'updated', report: toReport(row) };
    });
  }

  /** Deletes the report that is meant. */
  delete(
    auditContext: ApplicationAuditContext,
    { id, isMeant }: { id: string; isMeant: VersionCheck },
  ): Promise<DeletedReport> {
    const { accountId } = auditContext;
    return this.#prisma.$transaction(async (tx): Promise<DeletedReport> => {
      const report = await lockReport(tx, accountId, id);
      if (report === null) return 'unknown';
      if (!isMeant(report)) return 'changed_meanwhile';
      await tx.report.delete({ where: { accountId_id: { accountId, id } } });
      await recordReportEvent(tx, 'report.deleted', auditContext, report);
      return 'deleted';
    });
  }
}
