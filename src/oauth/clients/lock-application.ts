import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Prisma } from '../../platform/database/client.js';
import type { ApplicationSettings } from './application-settings.js';
import type { ClientType } from './client-registry.js';

export interface LockedApplication extends ApplicationSettings {
  readonly clientId: string;
  readonly clientType: ClientType;
  readonly generation: number;
}

/**
 * Locks an application until the transaction ends. Concurrent changes of the application, its secrets, or several of its
 * codes or grants wait. The order of locks is in `src/platform/database/README.md`.
 *
 * @returns `null` when the account has no such application
 */
export async function lockApplication(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  id: string,
): Promise<LockedApplication | null> {
  const [row] = await tx.$queryRaw<LockedApplication[]>`
    SELECT client_id AS "clientId", client_type AS "clientType", name, redirect_uris AS "redirectUris", scopes,
      require_client_secret AS "requireClientSecret", token_generation AS generation
    FROM applications WHERE id = ${id} AND account_id = ${accountId} FOR NO KEY UPDATE`;
  return row ?? null;
}

/**
 * Prevents the deletion of an application until the transaction ends. It may be changed.
 *
 * @returns false when the account has no such application
 */
export async function preventApplicationDeletion(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  id: string,
): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM applications WHERE id = ${id} AND account_id = ${accountId} FOR KEY SHARE`;
  return rows.length > 0;
}
