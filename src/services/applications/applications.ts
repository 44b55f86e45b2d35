import type { Database } from '../../database/client.js';
import { type AccountId, toAccountId } from '../account-id.js';

/** An OAuth client, as the token endpoint needs it. */
export interface Application {
  readonly id: string;
  readonly accountId: AccountId;
  readonly clientId: string;
  readonly clientType: ClientType;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  /** The secrets that are live; none for a public client. */
  readonly secrets: readonly LiveSecret[];
}

export type ClientType = 'confidential' | 'public';

export interface LiveSecret {
  readonly id: string;
  /** SHA-256. */
  readonly hash: Uint8Array;
}

interface Row {
  id: string;
  account_id: string;
  client_type: ClientType;
  name: string;
  redirect_uris: string[];
  scopes: string[];
  secret_ids: string[];
  secret_hashes: Uint8Array[];
}

export class Applications {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The application with this `client_id`, whatever its account: a client is known before its account is. */
  async findByClientId(clientId: string): Promise<Application | null> {
    const [row] = await this.#database.prisma.$queryRaw<Row[]>`
      SELECT id, account_id, client_type, name, redirect_uris, scopes,
             ARRAY(SELECT id FROM application_secrets WHERE application_id = applications.id ORDER BY id)
               AS secret_ids,
             ARRAY(SELECT secret_hash FROM application_secrets WHERE application_id = applications.id ORDER BY id)
               AS secret_hashes
      FROM applications WHERE client_id = ${clientId}`;
    if (row === undefined) return null;
    return {
      id: row.id,
      accountId: toAccountId(row.account_id),
      clientId,
      clientType: row.client_type,
      name: row.name,
      redirectUris: row.redirect_uris,
      scopes: row.scopes,
      secrets: row.secret_hashes.map((hash, index) => ({ id: row.secret_ids[index] ?? '', hash })),
    };
  }
}
