import type { AccountId } from '../../platform/accounts/account-id.js';
import type {
  ApplicationAuditContext,
  CallerAuditContext,
  UserAuditContext,
} from '../../platform/audit/audit-log.js';
import { change, Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { type Database, Prisma, type ReadDatabase } from '../../platform/database/client.js';
import type { Report as ReportRow } from '../../platform/database/generated/client.js';
import { randomId } from '../../platform/database/ids.js';
import { type Anchor, pageQuery, splitPage } from '../../platform/database/page-query.js';
import { type Idempotency, transactionLimits } from '../../platform/idempotency/idempotency.js';
import type { IdempotentRequest, StoredResponse } from '../../platform/idempotency/key-claim.js';
import { consumeNonce } from '../../platform/idempotency/submitted-forms.js';
import { findDefinitionErrors } from './definition-rules.js';
import { type Report, type ReportContent, toReport, toStored } from './report.js';
import {
  ApplicationDeletedError,
  type CreatedReport,
  type CreatedThroughForm,
  changedContent,
  type DeletedReport,
  newContent,
  type ReportChanges,
  type UpdatedReport,
} from './report-changes.js';
import {
  fromReportAnchor,
  type ReportAnchor,
  type ReportSort,
  reportOrder,
  toReportAnchor,
} from './report-order.js';

/** The account has reached its limit of reports. */
class ReportQuotaError extends Error {
  override readonly name = 'ReportQuotaError';
}

/**
 * Checks the number of reports of the account, after the change has inserted one. The trigger that counts reports has locked
 * the count, so the check is exact under concurrency.
 *
 * @param maximum maximum number of reports of an account; 0: no limit
 * @throws {ReportQuotaError} if there are more
 */
async function checkReportQuota({ tx, context: { accountId } }: Unit, maximum: number): Promise<void> {
  if (maximum === 0) return;
  const totals = await tx.accountTotals.findUnique({ where: { accountId } });
  if (totals !== null && totals.reports > maximum) throw new ReportQuotaError();
}

/** Whether the stored version of a report meets the precondition of a change. */
type VersionCheck = (stored: Pick<Report, 'id' | 'version'>) => boolean;

/** Locks a report. `null` when the account has none with this id. */
function lockReport(id: string) {
  return async (
    tx: Prisma.TransactionClient,
    { accountId }: CallerAuditContext,
  ): Promise<ReportRow | null> => {
    const rows = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM reports WHERE id = ${id} AND account_id = ${accountId} FOR NO KEY UPDATE`;
    return rows.length === 0
      ? null
      : await tx.report.findUnique({ where: { accountId_id: { accountId, id } } });
  };
}

/** The details of an audit event that identify its report. */
function reportDetails({ id, title }: Pick<Report, 'id' | 'title'>) {
  return { report: id, title };
}

/** Inserts a report and its audit event. */
async function insertReport(
  unit: Unit<CallerAuditContext>,
  content: ReportContent,
  id = randomId(),
): Promise<Report> {
  const { accountId, userId, applicationId = null, at } = unit.context;
  await unit.setActor();
  const row = await unit.tx.report.create({
    data: {
      id,
      accountId,
      ...toStored(content),
      createdByUserId: userId,
      createdByApplicationId: applicationId,
      createdAt: at,
      updatedAt: at,
    },
  });
  await unit.record('report.created', reportDetails(row));
  return toReport(row);
}

/** A page of the list of reports. */
interface ReportListRequest {
  /** Empty: by id. */
  readonly sort: readonly ReportSort[];
  readonly size: number;
  /** Start of the page: after a report of an earlier page, or after a number of reports. */
  readonly from: { readonly anchor: ReportAnchor } | { readonly skip: number };
}

interface ReportPage {
  readonly reports: readonly Report[];
  /** Total number of reports on all pages. */
  readonly recordCount: number;
  /** Start of the next page; `null` on the last page. */
  readonly nextAnchor: ReportAnchor | null;
}

/** A report to create. */
interface NewReport {
  /** Absent members get their defaults. */
  readonly content: ReportChanges & { readonly title: string };
  /** Idempotency key of the request. Without it, a repeated request creates another report. */
  readonly idempotency: Pick<IdempotentRequest, 'key' | 'operation' | 'payload'> | undefined;
  /** Builds the response to this request and to repeated ones. */
  readonly describe: (report: Report) => StoredResponse;
}

const reportSelection = Prisma.sql`
  id, title, description, columns, filters, sort, group_by AS "groupBy", version, created_at AS "createdAt",
  updated_at AS "updatedAt", created_by_user_id AS "createdByUserId",
  created_by_application_id AS "createdByApplicationId"`;

/** The saved reports of accounts. Each change and its audit event are stored in one transaction. */
export class Reports {
  readonly #prisma: Database['prisma'];
  readonly #reads: ReadDatabase['prisma'];
  readonly #idempotency: Idempotency;
  readonly #maxReports: number;

  /**
   * @param options.reads where `get` and `list` read
   * @param options.maxReports maximum number of reports of an account; 0: no limit
   */
  constructor(
    { prisma }: Database,
    { reads, idempotency, maxReports }: { reads: ReadDatabase; idempotency: Idempotency; maxReports: number },
  ) {
    this.#prisma = prisma;
    this.#reads = reads.prisma;
    this.#idempotency = idempotency;
    this.#maxReports = maxReports;
  }

  /** Reads the account's report with this id; `null` if this account has none with this id. */
  async get(accountId: AccountId, id: string): Promise<Report | null> {
    const row = await this.#reads.report.findFirst({ where: { id, accountId } });
    return row === null ? null : toReport(row);
  }

  /** Reads a page of an account's reports. Reports with equal sort values are ordered by id, in the direction of the last key. */
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
      this.#reads.accountTotals.findFirst({ where: { accountId } }),
      this.#reads.$queryRaw<(ReportRow & { anchor: Anchor })[]>(query),
    ]);
    const { rows, nextAnchor } = splitPage(found, size);
    return {
      reports: rows.map(toReport),
      recordCount: totals?.reports ?? 0,
      nextAnchor: nextAnchor === null ? null : toReportAnchor(nextAnchor),
    };
  }

  /** Creates a report, and stores the response under the idempotency key, if there is one. */
  async create(
    auditContext: ApplicationAuditContext,
    { content: given, idempotency, describe }: NewReport,
  ): Promise<CreatedReport> {
    const content = newContent(given);
    const errors = findDefinitionErrors(content);
    if (errors.length > 0) return { kind: 'invalid', errors };
    const { applicationId, userId, accountId, at } = auditContext;
    const prepare = async (tx: Prisma.TransactionClient) => {
      if (!(await lock.existingApplication(tx, auditContext))) throw new ApplicationDeletedError();
    };
    const insert = async (unit: Unit<ApplicationAuditContext>) => {
      const report = await insertReport(unit, content);
      await checkReportQuota(unit, this.#maxReports);
      return describe(report);
    };
    try {
      if (idempotency !== undefined) {
        return await this.#idempotency.respondOnce(
          { ...idempotency, accountId, applicationId, userId, at },
          { prepare, work: (tx) => insert(new Unit(tx, auditContext)) },
        );
      }
      const response = await change(this.#prisma, auditContext, prepare, insert, transactionLimits);
      return { kind: 'completed', response };
    } catch (error) {
      if (error instanceof ApplicationDeletedError) return { kind: 'application_deleted' };
      if (error instanceof ReportQuotaError) return { kind: 'limit_reached', limit: this.#maxReports };
      throw error;
    }
  }

  /**
   * Creates a report from a form.
   *
   * @param options.nonce identifies the form, so that a repeated submission creates no second report
   */
  async createThroughForm(
    auditContext: UserAuditContext,
    { content: given, nonce }: { content: NewReport['content']; nonce: string },
  ): Promise<CreatedThroughForm> {
    const content = newContent(given);
    const errors = findDefinitionErrors(content);
    if (errors.length > 0) return { kind: 'invalid', errors };
    const create = async (unit: Unit<UserAuditContext>): Promise<CreatedThroughForm> => {
      const id = randomId();
      const earlier = await consumeNonce(unit, nonce, id);
      if (earlier !== null) return { kind: 'repeated', id: earlier };
      await insertReport(unit, content, id);
      await checkReportQuota(unit, this.#maxReports);
      return { kind: 'created', id };
    };
    try {
      return await change(this.#prisma, auditContext, lock.nothing, create, transactionLimits);
    } catch (error) {
      if (error instanceof ReportQuotaError) return { kind: 'limit_reached', limit: this.#maxReports };
      throw error;
    }
  }

  /** Changes a report whose stored version meets the precondition. Absent members are not changed. */
  update(
    auditContext: CallerAuditContext,
    { id, changes, isExpected }: { id: string; changes: ReportChanges; isExpected: VersionCheck },
  ): Promise<UpdatedReport> {
    const { accountId, at } = auditContext;
    return change(this.#prisma, auditContext, lockReport(id), async (unit, stored) => {
      if (stored === null) return { kind: 'not_found' };
      const current = toReport(stored);
      if (!isExpected(current)) return { kind: 'conflict' };
      const content = changedContent(current, changes);
      const errors = findDefinitionErrors(content);
      if (errors.length > 0) return { kind: 'invalid', errors };
      await unit.setActor();
      const row = await unit.tx.report.update({
        where: { accountId_id: { accountId, id } },
        data: { ...toStored(content), version: { increment: 1 }, updatedAt: at },
      });
      await unit.record('report.updated', reportDetails(row));
      return { kind: 'updated', report: toReport(row) };
    });
  }

  /** Deletes a report whose stored version meets the precondition. */
  delete(
    auditContext: CallerAuditContext,
    { id, isExpected }: { id: string; isExpected: VersionCheck },
  ): Promise<DeletedReport> {
    const { accountId } = auditContext;
    return change(this.#prisma, auditContext, lockReport(id), async (unit, report) => {
      if (report === null) return 'not_found';
      if (!isExpected(report)) return 'conflict';
      await unit.setActor();
      await unit.tx.report.delete({ where: { accountId_id: { accountId, id } } });
      await unit.record('report.deleted', reportDetails(report));
      return 'deleted';
    });
  }
}
