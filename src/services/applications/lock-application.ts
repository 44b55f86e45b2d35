import type { Prisma } from '../../database/client.js';
import type { AccountId } from '../account-id.js';
import type { ApplicationSettings } from './application-settings.js';
import type { ClientType } from './applications.js';

export interface LockedApplication extends ApplicationSettings {
  readonly clientId: string;
  readonly clientType: ClientType;
}

/**
 * Takes an account's application until the transaction ends: whoever changes it or its secrets waits for each
 * other.
 *
 * @returns `null` when the account has no such application
 */
export async function lockApplication(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  id: string,
): Promise<LockedApplication | null> {
  const [row] = await tx.$queryRaw<LockedApplication[]>`
    SELECT client_id AS "clientId", client_type AS "clientType", name, redirect_uris AS "redirectUris", scopes
    FROM applications WHERE id = ${id} AND account_id = ${accountId} FOR NO KEY UPDATE`;
  return row ?? null;
}
