import type { ClaimLimits } from '../../platform/claim-worker.js';
import type { Database } from '../../platform/database/client.js';
import { accountScope, allAccounts, withScope } from '../../platform/database/scope.js';

/** Minutes from the start of an attempt to the next one. */
const retryMinutes = [1, 10, 60] as const;

/** Number of attempts, after which a notice is deleted. */
export const maximumAttempts = retryMinutes.length + 1;

/** Notices that a claim looks at. More than are claimed, because of the limit for an account. */
const maximumConsidered = 1_000;

/** A notice whose attempt this process makes. */
export interface ClaimedNotice {
  readonly accountId: string;
  readonly applicationId: string;
  readonly userId: string;
  readonly sid: string;
  /** The public `client_id`, also of an installation. */
  readonly clientId: string;
  /** The back-channel logout URI of the application now; `null`: it was removed. */
  readonly uri: string | null;
  /** The account that has registered the application. */
  readonly owner: string;
  /** Attempts, with this one. */
  readonly attempts: number;
}

/**
 * Claims notices that are due, of all accounts. Accounts that have registered the applications take turns, so that slow servers of
 * one do not delay the others: the limits are those of such an account. A claim is the start of an attempt, and sets the time of the next one.
 */
export function claimNotices(
  { prisma }: Pick<Database, 'prisma'>,
  { now, maximum, maximumOfAccount, running }: ClaimLimits & { readonly now: Date },
): Promise<ClaimedNotice[]> {
  const full = [...running].filter(([, count]) => count >= maximumOfAccount).map(([owner]) => owner);
  const after = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
  const [first, second, third] = retryMinutes;
  return withScope(
    allAccounts,
    () => prisma.$queryRaw<ClaimedNotice[]>`
      WITH considered AS MATERIALIZED (
        SELECT notice.account_id, notice.application_id, notice.sid, notice.due_at,
          coalesce(application.installed_client_id, application.client_id) AS client_id,
          coalesce(shared.publisher_account_id, notice.account_id) AS owner,
          CASE WHEN application.installed_client_id IS NULL THEN application.backchannel_logout_uri
            ELSE published.backchannel_logout_uri END AS uri
        FROM logout_notices notice
          JOIN applications application
            ON application.account_id = notice.account_id AND application.id = notice.application_id
          LEFT JOIN shared_applications shared ON shared.client_id = application.installed_client_id
          LEFT JOIN applications published
            ON published.account_id = shared.publisher_account_id AND published.id = shared.application_id
        WHERE notice.due_at <= ${now} AND coalesce(shared.publisher_account_id, notice.account_id) <> ALL (${full})
        ORDER BY notice.due_at LIMIT ${maximumConsidered}
      ), placed AS MATERIALIZED (
        SELECT considered.*, coalesce(running.count::integer, 0)
          + row_number() OVER (PARTITION BY considered.owner ORDER BY considered.due_at) AS place
        FROM considered
          LEFT JOIN json_each_text(${JSON.stringify(Object.fromEntries(running))}::json) AS running (owner, count)
            ON running.owner = considered.owner
      ), due AS MATERIALIZED (
        SELECT notice.account_id, notice.application_id, notice.sid, placed.client_id, placed.owner, placed.uri
        FROM placed JOIN logout_notices notice ON notice.account_id = placed.account_id
          AND notice.application_id = placed.application_id AND notice.sid = placed.sid
        WHERE placed.place <= ${maximumOfAccount} AND notice.due_at <= ${now}
        ORDER BY placed.place, placed.due_at LIMIT ${maximum} FOR UPDATE OF notice SKIP LOCKED
      )
      UPDATE logout_notices notice SET attempts = attempts + 1,
        due_at = CASE attempts WHEN 0 THEN ${after(first)}::timestamptz WHEN 1 THEN ${after(second)}::timestamptz
          ELSE ${after(third)}::timestamptz END
      FROM due
      WHERE notice.account_id = due.account_id AND notice.application_id = due.application_id AND notice.sid = due.sid
      RETURNING notice.account_id AS "accountId", notice.application_id AS "applicationId", notice.user_id AS "userId",
        notice.sid, notice.attempts, due.client_id AS "clientId", due.owner, due.uri`,
  );
}

/** Deletes a notice after its last attempt. */
export async function deleteNotice(
  { prisma }: Pick<Database, 'prisma'>,
  { accountId, applicationId, sid }: ClaimedNotice,
): Promise<void> {
  await withScope(accountScope(accountId), () =>
    prisma.logoutNotice.deleteMany({ where: { accountId, applicationId, sid } }),
  );
}
