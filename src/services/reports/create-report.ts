import type { Database, Prisma } from '../../database/client.js';
import { randomId } from '../../database/ids.js';
import { holdApplication } from '../applications/lock-application.js';
import type { ApplicationAuditContext } from '../audit-context.js';
import { type Idempotency, type IdempotentOutcome, transactionLimits } from '../idempotency/idempotency.js';
import type { IdempotentRequest, StoredResponse } from '../idempotency/idempotent-request.js';
import { recordReportEvent } from './record-report-event.js';
import { type Report, type ReportContent, toReport, toStored } from './report.js';
import { checkReportQuota, ReportQuotaError } from './report-quota.js';

export type CreatedReport =
  | IdempotentOutcome
  /** The account has as many reports as it may have. */
  | { readonly kind: 'quota_exceeded'; readonly limit: number }
  /** The application was deleted after it had authenticated. */
  | { readonly kind: 'application_deleted' };

class ApplicationDeletedError extends Error {}

/** Creates saved reports. */
export class ReportCreation {
  readonly #database: Database;
  readonly #idempotency: Idempotency;
  readonly #maxReports: number;

  /** @param options.maxReports reports that an account may have; 0 is any number */
  constructor(
    database: Database,
    { idempotency, maxReports }: { idempotency: Idempotency; maxReports: number },
  ) {
    this.#database = database;
    this.#idempotency = idempotency;
    this.#maxReports = maxReports;
  }

  /**
   * Saves a report, together with an audit event and the response that a repetition gets.
   *
   * @param content without validation errors
   * @param repeatable names the request; absent, a repetition creates another report
   * @param describe makes the response
   */
  async create(
    auditContext: ApplicationAuditContext,
    {
      content,
      repeatable,
      describe,
    }: {
      content: ReportContent;
      repeatable: Pick<IdempotentRequest, 'key' | 'operation' | 'payload'> | undefined;
      describe: (report: Report) => StoredResponse;
    },
  ): Promise<CreatedReport> {
    const { applicationId, userId, accountId, at } = auditContext;
    const hold = async (tx: Prisma.TransactionClient) => {
      if (!(await holdApplication(tx, accountId, applicationId))) throw new ApplicationDeletedError();
    };
    const work = async (tx: Prisma.TransactionClient) => {
      const report = await insertReport(tx, auditContext, content);
      await checkReportQuota(tx, accountId, this.#maxReports);
      return describe(report);
    };
    try {
      if (repeatable !== undefined) {
        return await this.#idempotency.respondOnce(
          { ...repeatable, applicationId, userId, at },
          { hold, work },
        );
      }
      const response = await this.#database.prisma.$transaction(async (tx) => {
        await hold(tx);
        return work(tx);
      }, transactionLimits);
      return { kind: 'completed', response };
    } catch (error) {
      if (error instanceof ApplicationDeletedError) return { kind: 'application_deleted' };
      if (error instanceof ReportQuotaError) return { kind: 'quota_exceeded', limit: this.#maxReports };
      throw error;
    }
  }
}

async function insertReport(
  tx: Prisma.TransactionClient,
  auditContext: ApplicationAuditContext,
  content: ReportContent,
): Promise<Report> {
  const row = await tx.report.create({
    data: {
      id: randomId(),
      accountId: auditContext.accountId,
      ...toStored(content),
      createdByUserId: auditContext.userId,
      createdByApplicationId: auditContext.applicationId,
      createdAt: auditContext.at,
      updatedAt: auditContext.at,
    },
  });
  await recordReportEvent(tx, 'report.created', auditContext, row);
  return toReport(row);
}
