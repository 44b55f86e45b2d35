import type { Database } from '../../database/client.js';
import { type AccountId, toAccountId } from '../account-id.js';
import { createBatcher } from '../batcher.js';

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
  client_id: string;
  client_type: ClientType;
  name: string;
  redirect_uris: string[];
  scopes: string[];
  secrets: { id: string; hash: string }[];
}

const query = `
  SELECT id, account_id, client_id, client_type, name, redirect_uris, scopes,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('id', secret.id, 'hash', encode(secret_hash, 'base64'))
                                    ORDER BY secret.id), '[]')
          FROM application_secrets secret WHERE application_id = applications.id) AS secrets
  FROM applications WHERE client_id = ANY ($1::text[])`;

export class Applications {
  readonly #find: (clientId: string) => Promise<Application | null>;

  constructor(database: Database) {
    this.#find = createBatcher((clientIds) => findAll(database, clientIds), { maximum: 200, atOnce: 2 });
  }

  /** The application with this `client_id`, whatever its account: a client is known before its account is. */
  findByClientId(clientId: string): Promise<Application | null> {
    return this.#find(clientId);
  }
}

async function findAll(database: Database, clientIds: readonly string[]): Promise<(Application | null)[]> {
  const rows = await database.query<Row>(query, [[...new Set(clientIds)]]);
  const found = new Map(rows.map((row) => [row.client_id, toApplication(row)]));
  return clientIds.map((clientId) => found.get(clientId) ?? null);
}

function toApplication(row: Row): Application {
  return {
    id: row.id,
    accountId: toAccountId(row.account_id),
    clientId: row.client_id,
    clientType: row.client_type,
    name: row.name,
    redirectUris: row.redirect_uris,
    scopes: row.scopes,
    secrets: row.secrets.map(({ id, hash }) => ({ id, hash: Buffer.from(hash, 'base64') })),
  };
}
