import type { Role } from '../../platform/accounts/user.js';
import type { Database } from '../../platform/database/client.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import type { Application } from '../clients/client-registry.js';

/** A refresh token that can be used, with its grant and user. */
export interface LiveRefreshToken {
  readonly userId: string;
  readonly role: Role;
  /** Scopes of the grant now. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * Finds a refresh token that was issued to this application and can be used; `null` when it is unknown, expired, superseded or
 * revoked, or its user is disabled.
 */
export async function findLiveRefreshToken(
  { prisma }: Pick<Database, 'prisma'>,
  { accountId, id: applicationId }: Application,
  { hash, now }: { readonly hash: Buffer; readonly now: Date },
): Promise<LiveRefreshToken | null> {
  const [token] = await withScope(
    accountScope(accountId),
    () => prisma.$queryRaw<LiveRefreshToken[]>`
      SELECT users.id AS "userId", users.role, grants.scopes, token.created_at AS "createdAt", token.expires_at AS "expiresAt"
      FROM refresh_tokens token
        JOIN grants ON grants.account_id = token.account_id AND grants.id = token.grant_id
        JOIN users ON users.account_id = grants.account_id AND users.id = grants.user_id
      WHERE token.token_hash = ${hash} AND token.account_id = ${accountId} AND grants.application_id = ${applicationId}
        AND token.used_at IS NULL AND token.expires_at > ${now}
        AND grants.revoked_at IS NULL AND users.disabled_at IS NULL`,
  );
  return token ?? null;
}
