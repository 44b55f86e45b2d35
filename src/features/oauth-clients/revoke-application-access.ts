import { Unit } from '../../platform/changes/change.js';
import { pauseEndpoints } from '../webhooks/index.js';

/** What was revoked, as numbers of records. */
export interface RevokedAccess {
  readonly revokedGrants: number;
  readonly pausedEndpoints: number;
}

/** An application whose row is locked by the transaction. */
interface RevokedApplication {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
}

/**
 * Revokes all access of applications: the grants of all users with their tokens, the unused authorization codes, and the access
 * tokens of the client credentials grant. Their webhook endpoints are paused, because they send records without a token. Each
 * application has an audit event.
 *
 * Client credentials tokens contain the generation of the application, which is incremented. The issue time of tokens is not precise
 * enough: it has whole seconds, and a token that is issued in the same second must be valid.
 *
 * @param applications locked in the order of their ids
 */
export async function revokeApplicationAccess(
  unit: Unit,
  applications: readonly RevokedApplication[],
): Promise<RevokedAccess> {
  const { tx, context } = unit;
  const { accountId, at } = context;
  const ids = applications.map(({ id }) => id);
  await tx.application.updateMany({
    where: { accountId, id: { in: ids } },
    data: { generation: { increment: 1 }, updatedAt: at },
  });
  // Before the grants: a concurrent exchange has locked its code, and its grant is visible when the lock is released.
  await tx.authorizationCode.deleteMany({ where: { accountId, applicationId: { in: ids }, usedAt: null } });
  const grants = await tx.$queryRaw<{ applicationId: string }[]>`
    UPDATE grants SET revoked_at = ${at}
    WHERE account_id = ${accountId} AND application_id = ANY (${ids}) AND revoked_at IS NULL
    RETURNING application_id AS "applicationId"`;
  const total = { revokedGrants: grants.length, pausedEndpoints: 0 };
  for (const { id: applicationId, name, clientId } of applications) {
    const paused = await pauseEndpoints(new Unit(tx, { ...context, applicationId }));
    total.pausedEndpoints += paused;
    const revoked = grants.filter((grant) => grant.applicationId === applicationId).length;
    const details = {
      name,
      client_id: clientId,
      revoked_grants: String(revoked),
      paused_webhook_endpoints: String(paused),
    };
    await unit.record('application.access_revoked', details, { applicationId });
  }
  return total;
}
