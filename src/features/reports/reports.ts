import type { AccountId } from '../../platform/accounts/account-id.js';
import { readActorNames } from '../../platform/accounts/actor-names.js';
import type {
  ApplicationAuditContext,
  CallerAuditContext,
  UserAuditContext,
} from '../../platform/audit/audit-log.js';
import { change, Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { AttributeAccess } from '../../platform/contract/attribute-access.js';
import type { Database, Prisma, ReadDatabase } from '../../platform/database/client.js';
import type { Report as ReportRow } from '../../platform/database/generated/client.js';
import { randomId } from '../../platform/database/ids.js';
import { type Anchor, splitPage } from '../../platform/database/page-query.js';
import {
  type Idempotency,
  type IdempotentOutcome,
  transactionLimits,
} from '../../platform/idempotency/idempotency.js';
import type { IdempotentRequest, StoredResponse } from '../../platform/idempotency/key-claim.js';
import { consumeNonce } from '../../platform/idempotency/submitted-forms.js';
import { findErrors, InvalidDefinitionError } from './author-errors.js';
import type { DefinitionError } from './definition-rules.js';
import {
  changedContent,
  newContent,
  type Report,
  type ReportChanges,
  type ReportContent,
  toReport,
  toStored,
} from './report.js';
import { type ReportListRequest, type ReportPage, reportPageQuery, toReportAnchor } from './report-list.js';

export type CreatedReport =
  | IdempotentOutcome
  | { readonly kind: 'invalid'; readonly errors: readonly DefinitionError[] }
  /** The account has reached its limit of reports. */
  | { readonly kind: 'limit_reached'; readonly limit: number }
  /** The application was deleted after it authenticated. */
  | { readonly kind: 'application_deleted' };

type CreatedThroughForm =
  | { readonly kind: 'created'; readonly id: string }
  /** The same form has already created this report. */
  | { readonly kind: 'repeated'; readonly id: string }
  | Extract<CreatedReport, { kind: 'limit_reached' }>;

type UpdatedReport =
  | { readonly kind: 'updated'; readonly report: Report }
  | { readonly kind: 'not_found' }
  /** The stored version does not meet the precondition. */
  | { readonly kind: 'conflict'; readonly stored: Report }
  | { readonly kind: 'invalid'; readonly errors: readonly DefinitionError[] };

type DeletedReport = 'deleted' | 'not_found' | 'conflict';

/** Rolls back the creation of a report when its application was deleted. */
class ApplicationDeletedError extends Error {
  override readonly name = 'ApplicationDeletedError';
}

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
export function reportDetails({ id, title }: Pick<Report, 'id' | 'title'>) {
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

/** A report to create. */
interface NewReport {
  /** Absent members get their defaults. */
  readonly content: ReportChanges & { readonly title: string };
  /** What its author may read. */
  readonly access: AttributeAccess;
  /** Idempotency key of the request. Without it, a repeated request creates another report. */
  readonly idempotency: Pick<IdempotentRequest, 'key' | 'operation' | 'payload'> | undefined;
  /** Builds the response to this request and to repeated ones. */
  readonly describe: (report: Report) => StoredResponse;
}

/** The saved reports of accounts. Each change and its audit event are stored in one transaction. */
export class Reports {
  readonly #prisma: Database['prisma'];
  readonly #reads: ReadDatabase;
  readonly #idempotency: Idempotency;
  readonly #maxReports: number;

  /**
   * @param reads where `get` and `list` read
   * @param maxReports maximum number of reports of an account; 0: no limit
   */
  constructor(
    { prisma }: Database,
    { reads, idempotency, maxReports }: { reads: ReadDatabase; idempotency: Idempotency; maxReports: number },
  ) {
    this.#prisma = prisma;
    this.#reads = reads;
    this.#idempotency = idempotency;
    this.#maxReports = maxReports;
  }

  /** Reads the account's report with this id; `null` if this account has none with this id. */
  async get(accountId: AccountId, id: string): Promise<Report | null> {
    const row = await this.#reads.prisma.report.findFirst({ where: { id, accountId } });
    return row === null ? null : toReport(row);
  }

  /** Reads a page of an account's reports. */
  async list(accountId: AccountId, request: ReportListRequest): Promise<ReportPage> {
    const [totals, found] = await Promise.all([
      this.#reads.prisma.accountTotals.findFirst({ where: { accountId } }),
      this.#reads.prisma.$queryRaw<(ReportRow & { anchor: Anchor })[]>(reportPageQuery(accountId, request)),
    ]);
    const { rows, nextAnchor } = splitPage(found, request.size);
    return {
      reports: rows.map(toReport),
      recordCount: totals?.reports ?? 0,
      nextAnchor: nextAnchor === null ? null : toReportAnchor(nextAnchor),
    };
  }

  /**
   * Reads the names of the creators of reports of the account, by id of the report. A report without a user was created by an
   * application on its own behalf. A report whose creator no longer exists has no name.
   */
  async creatorNames(accountId: AccountId, reports: readonly Report[]): Promise<ReadonlyMap<string, string>> {
    const creators = reports.map(({ id, createdByUserId: userId, createdByApplicationId: applicationId }) => {
      return { id, userId, applicationId };
    });
    const { users, applications } = await readActorNames(this.#reads, accountId, creators);
    return new Map(
      creators.flatMap(({ id, userId, applicationId }): [string, string][] => {
        const name = userId === null ? applications.get(applicationId ?? '') : users.get(userId)?.name;
        return name === undefined ? [] : [[id, name]];
      }),
    );
  }

  /** Creates a report, and stores the response under the idempotency key, if there is one. */
  async create(
    auditContext: ApplicationAuditContext,
    { content: given, access, idempotency, describe }: NewReport,
  ): Promise<CreatedReport> {
    const content = newContent(given);
    const { applicationId, userId, accountId, at } = auditContext;
    const prepare = async (tx: Prisma.TransactionClient) => {
      if (!(await lock.existingApplication(tx, auditContext))) throw new ApplicationDeletedError();
    };
    const insert = async (unit: Unit<ApplicationAuditContext>) => {
      const errors = await findErrors(unit, { content, given, access });
      if (errors.length > 0) throw new InvalidDefinitionError(errors);
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
      if (error instanceof InvalidDefinitionError) return { kind: 'invalid', errors: error.errors };
      if (error instanceof ApplicationDeletedError) return { kind: 'application_deleted' };
      if (error instanceof ReportQuotaError) return { kind: 'limit_reached', limit: this.#maxReports };
      throw error;
    }
  }

  /**
   * Creates a report from a form.
   *
   * @param content valid, see {@link findErrors}
   * @param nonce identifies the form, so that a repeated submission creates no second report
   */
  async createThroughForm(
    auditContext: UserAuditContext,
    { content, nonce }: { content: ReportContent; nonce: string },
  ): Promise<CreatedThroughForm> {
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
    {
      id,
      changes,
      access,
      isExpected,
    }: { id: string; changes: ReportChanges; access: AttributeAccess; isExpected: VersionCheck },
  ): Promise<UpdatedReport> {
    const { accountId, at } = auditContext;
    return change(this.#prisma, auditContext, lockReport(id), async (unit, stored) => {
      if (stored === null) return { kind: 'not_found' };
      const current = toReport(stored);
      if (!isExpected(current)) return { kind: 'conflict', stored: current };
      const content = changedContent(current, changes);
      const errors = await findErrors(unit, { content, given: changes, access });
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
