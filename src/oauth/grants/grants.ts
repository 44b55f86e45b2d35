import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Authentication } from '../../platform/accounts/sessions.js';
import type { AuditEvent, UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import type { Resource } from '../resources.js';

/** Condition for a live grant: a row of `grants` that is not revoked and has an unused, unexpired refresh token. */
export function liveGrant(now: Date): Prisma.Sql {
  return Prisma.sql`
    grants.revoked_at IS NULL AND EXISTS (
      SELECT FROM refresh_tokens
      WHERE refresh_tokens.account_id = grants.account_id AND refresh_tokens.grant_id = grants.id
        AND refresh_tokens.used_at IS NULL AND refresh_tokens.expires_at > ${now})`;
}

/** An application with at least one live grant of a user. */
export interface ConnectedApplication {
  readonly applicationId: string;
  readonly name: string;
  readonly inDevelopment: boolean;
  /** Whether the account must approve the application again. Its tokens are rejected. */
  readonly suspended: boolean;
  /** Scopes of the live grants that the application is still configured with. */
  readonly scopes: readonly string[];
  readonly connectedAt: Date;
  readonly lastTokenAt: Date | null;
}

/** Selects the connected applications of a user. */
interface ConnectionSelection {
  readonly userId: string;
  readonly now: Date;
  /** Selects one application; absent: all. */
  readonly applicationId?: string;
}

/** A grant for which an authorization code or a refresh token was used. */
export interface UsedGrant {
  readonly grantId: string;
  readonly userId: string;
  /**
   * Scopes of the access token. Of a refresh token, the requested or else the granted ones, without those that the application
   * is no longer configured with or that the user may no longer grant.
   */
  readonly scopes: readonly string[];
  /** The resource of the grant; `null`, for all, in grants of versions that did not store it. */
  readonly resource: Resource | null;
}

interface GrantRevocation {
  readonly grantId: string;
  readonly at: Date;
  readonly event: Omit<AuditEvent, 'details'> & { readonly accountId: AccountId };
}

/** The grants of users to applications. Each change is one transaction together with its audit events. */
export class Grants {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /** Lists the connected applications of a user by name. */
  connectedApplications(
    accountId: AccountId,
    selection: ConnectionSelection,
  ): Promise<ConnectedApplication[]> {
    return readConnections(this.#prisma, accountId, selection);
  }

  /**
   * Removes scopes from all grants of a user to an application, also those that the application is no longer configured with. A
   * grant without remaining scopes is revoked, and unused authorization codes with a removed scope are deleted.
   *
   * @param scopes the scopes that remain
   * @param expected the scopes that were read. When others are stored, nothing is changed
   */
  removeScopes(
    auditContext: UserAuditContext,
    {
      applicationId,
      scopes,
      expected,
    }: { applicationId: string; scopes: readonly string[]; expected: readonly string[] },
  ): Promise<'removed' | 'unchanged' | 'not_found' | 'conflict'> {
    const { accountId, userId, at } = auditContext;
    const context = { ...auditContext, applicationId };
    return change(this.#prisma, context, lock.application, async (unit) => {
      const { tx } = unit;
      const [connection] = await readConnections(tx, accountId, { userId, now: at, applicationId });
      if (connection === undefined) return 'not_found';
      if (connection.scopes.join(' ') !== expected.join(' ')) return 'conflict';
      if (expected.every((scope) => scopes.includes(scope))) return 'unchanged';
      // Before the grants: a concurrent exchange has locked its code, and its grant is visible when the lock is released.
      await tx.$executeRaw`
        DELETE FROM authorization_codes
        WHERE account_id = ${accountId} AND application_id = ${applicationId} AND user_id = ${userId}
          AND used_at IS NULL AND NOT scopes <@ ${scopes}`;
      const changed = await tx.$queryRaw<{ id: string; before: string[]; after: string[] }[]>`
        WITH held AS (
          SELECT id, scopes,
            ARRAY(SELECT scope FROM unnest(scopes) WITH ORDINALITY AS stored (scope, place)
                  WHERE scope = ANY (${scopes}) ORDER BY place) AS kept
          FROM grants
          WHERE account_id = ${accountId} AND user_id = ${userId} AND application_id = ${applicationId}
            AND revoked_at IS NULL AND NOT scopes <@ ${scopes}
          ORDER BY id FOR NO KEY UPDATE)
        UPDATE grants SET
          scopes = CASE WHEN cardinality(kept) > 0 THEN kept ELSE held.scopes END,
          revoked_at = CASE WHEN cardinality(kept) = 0 THEN ${at}::timestamptz END
        FROM held WHERE grants.account_id = ${accountId} AND grants.id = held.id
        RETURNING grants.id, held.scopes AS before, kept AS after`;
      await unit.recordAll(
        changed.map(({ id, before, after }) => {
          const details: Readonly<Record<string, string | readonly string[]>> =
            after.length === 0 ? { grant: id } : { grant: id, before, after };
          return { type: after.length === 0 ? 'grant.revoked' : 'grant.scopes_removed', details };
        }),
      );
      return 'removed';
    });
  }

  /**
   * Revokes all grants of a user to an application, and deletes the unused authorization codes. The tokens of these grants
   * are rejected.
   *
   * @returns whether a grant to the application is stored
   */
  disconnect(auditContext: UserAuditContext, applicationId: string): Promise<boolean> {
    const { accountId, userId, at } = auditContext;
    const context = { ...auditContext, applicationId };
    return change(this.#prisma, context, lock.application, async (unit, application) => {
      const { tx } = unit;
      if (application === null) return false;
      await tx.authorizationCode.deleteMany({
        where: { accountId, applicationId, userId, usedAt: null },
      });
      const revoked = await tx.$queryRaw<{ id: string }[]>`
        UPDATE grants SET revoked_at = ${at}
        WHERE account_id = ${accountId} AND user_id = ${userId} AND application_id = ${applicationId}
          AND revoked_at IS NULL
        RETURNING id`;
      await unit.recordAll(revoked.map(({ id }) => ({ type: 'grant.revoked', details: { grant: id } })));
      if (revoked.length > 0) return true;
      return (await tx.grant.count({ where: { accountId, userId, applicationId } })) > 0;
    });
  }

  /** When and how the user signed in before the consent, and in which session; `null` when there is no such grant. */
  authentication(accountId: AccountId, grantId: string): Promise<Authentication | null> {
    return withScope(accountScope(accountId), () =>
      this.#prisma.grant.findUnique({
        where: { accountId_id: { accountId, id: grantId } },
        select: { authenticatedAt: true, methods: true, sid: true },
      }),
    );
  }

  /**
   * Revokes a grant with its refresh tokens and access tokens. Does nothing when it is already revoked.
   *
   * @param event audit event, stored in the same transaction
   */
  revoke({ grantId, at, event }: GrantRevocation): Promise<void> {
    return change(this.#prisma, { ...event, at }, lock.nothing, async (unit) => {
      const { count } = await unit.tx.grant.updateMany({
        where: { id: grantId, accountId: event.accountId, revokedAt: null },
        data: { revokedAt: at },
      });
      if (count > 0) await unit.record(event.type, { grant: grantId });
    });
  }
}

function readConnections(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  { userId, now, applicationId }: ConnectionSelection,
): Promise<ConnectedApplication[]> {
  const only =
    applicationId === undefined ? Prisma.empty : Prisma.sql`AND grants.application_id = ${applicationId}`;
  return prisma.$queryRaw<ConnectedApplication[]>`
    SELECT application.id AS "applicationId", application.name, application.in_development AS "inDevelopment",
           application.suspended_at IS NOT NULL AS suspended,
           ARRAY(SELECT DISTINCT scope FROM grants given, unnest(given.scopes) AS scope
                 WHERE given.account_id = ${accountId} AND given.id = ANY (array_agg(live.id))
                   AND scope = ANY (application.scopes)
                 ORDER BY scope) AS scopes,
           min(live.created_at) AS "connectedAt",
           (SELECT max(token.created_at) FROM refresh_tokens token
            WHERE token.account_id = ${accountId} AND token.grant_id = ANY (array_agg(live.id))) AS "lastTokenAt"
    FROM (SELECT grants.id, grants.application_id, grants.created_at FROM grants
          WHERE grants.account_id = ${accountId} AND grants.user_id = ${userId} ${only}
            AND ${liveGrant(now)}) live
    JOIN applications application
      ON application.id = live.application_id AND application.account_id = ${accountId}
    GROUP BY application.account_id, application.id
    ORDER BY application.name COLLATE "und-x-icu", application.id`;
}
