import type { Database, Prisma } from '../../database/client.js';
import { randomId } from '../../database/ids.js';
import { answerOnce, type Repeatable, type StoredAnswer } from '../idempotency.js';
import { type Report, type ReportContent, toReport, toStored } from './report.js';
import { type ReportAct, recordReportAct } from './report-act.js';

export type CreatedReport =
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  /** The same request is under way, or its key belongs to another one. */
  | { readonly kind: 'in_use' | 'reused' };

/**
 * Saves a report, together with an audit event and the answer that a repetition will get.
 *
 * @param content without faults
 * @param repeatable names the request; absent, a repetition makes another report
 * @param describe makes the answer
 */
export async function createReport(
  database: Database,
  act: ReportAct,
  {
    content,
    repeatable,
    describe,
  }: {
    content: ReportContent;
    repeatable: Repeatable | undefined;
    describe: (report: Report) => StoredAnswer;
  },
): Promise<CreatedReport> {
  const create = async (tx: Prisma.TransactionClient) => describe(await insertReport(tx, act, content));
  if (repeatable === undefined) {
    return { kind: 'answered', answer: await database.prisma.$transaction(create) };
  }
  return answerOnce(database, { ...repeatable, applicationId: act.applicationId, at: act.at }, create);
}

async function insertReport(
  tx: Prisma.TransactionClient,
  act: ReportAct,
  content: ReportContent,
): Promise<Report> {
  const row = await tx.report.create({
    data: {
      id: randomId(),
      accountId: act.accountId,
      ...toStored(content),
      createdByUserId: act.userId,
      createdByApplicationId: act.applicationId,
      createdAt: act.at,
      updatedAt: act.at,
    },
  });
  await recordReportAct(tx, 'report.created', act, row);
  return toReport(row);
}
