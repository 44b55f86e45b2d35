import type { Prisma } from '../../database/client.js';
import type { AccountId } from '../account-id.js';
import type { ApplicationSettings } from './application-settings.js';
import type { ClientType } from './client-registry.js';

export interface LockedApplication extends ApplicationSettings {
  readonly clientId: string;
  readonly clientType: ClientType;
}

/**
 * Locks an account's application until the transaction ends, so that those who change it, its secrets, or several of
 * its codes or grants wait for each other.
 *
 * Every transaction and statement locks in the same order, because two that lock in different orders deadlock:
 * account, application, grant, user, then the rows below them (codes, refresh tokens, secrets, reports). Deleting a
 * row locks the rows that are deleted with it, and inserting one locks the rows that it refers to: such a
 * transaction locks the rows that come earlier in this order first.
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
      require_client_secret AS "requireClientSecret"
    FROM applications WHERE id = ${id} AND account_id = ${accountId} FOR NO KEY UPDATE`;
  return row ?? null;
}

/**
 * Keeps an account's application from being deleted until the transaction ends. Others may change it meanwhile.
 *
 * @returns false when the account has no such application
 */
export async function holdApplication(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  id: string,
): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM applications WHERE id = ${id} AND account_id = ${accountId} FOR KEY SHARE`;
  return rows.length > 0;
}
