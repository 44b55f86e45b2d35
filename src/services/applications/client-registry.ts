import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/client.js';
import { allAccounts } from '../../database/scope.js';
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
  /** Whether every token request must contain the secret; `false` for a public client. */
  readonly requireClientSecret: boolean;
  /** What access tokens name that no user granted; those that name an earlier one are revoked. */
  readonly tokenGeneration: number;
  /** The secrets that are live; none for a public client. */
  readonly secrets: readonly LiveSecret[];
}

export type ClientType = 'confidential' | 'public';

export interface LiveSecret {
  readonly id: string;
  /** SHA-256. */
  readonly hash: Uint8Array;
}

type Row = [json: string];

interface Stored extends Omit<Application, 'accountId' | 'secrets'> {
  readonly accountId: string;
  readonly secrets: readonly { id: string; hash: string }[];
}

const query = `
  SELECT json_build_object(
    'id', id, 'accountId', account_id, 'clientId', client_id, 'clientType', client_type, 'name', name,
    'redirectUris', redirect_uris, 'scopes', scopes, 'requireClientSecret', require_client_secret,
    'tokenGeneration', token_generation,
    'secrets', (SELECT coalesce(json_agg(json_build_object('id', secret.id, 'hash', encode(secret_hash, 'base64'))
                                         ORDER BY secret.id), '[]')
                FROM application_secrets secret WHERE application_id = applications.id))::text
  FROM applications WHERE client_id = ANY ($1::text[])`;

/** Texts of applications that need not be read again, as long as the database says the same. */
const rememberedTexts = 1_000;

export class ClientRegistry {
  readonly #database: Database;
  readonly #find: (clientId: string) => Promise<Application | null>;
  readonly #read = new LRUCache<string, Application>({ max: rememberedTexts });

  constructor(database: Database) {
    this.#database = database;
    this.#find = createBatcher((clientIds) => this.#findAll(clientIds), { maximum: 200, atOnce: 2 });
  }

  /** The application with this `client_id`, whatever its account: a client is known before its account is. */
  findByClientId(clientId: string): Promise<Application | null> {
    return this.#find(clientId);
  }

  async #findAll(clientIds: readonly string[]): Promise<(Application | null)[]> {
    const rows = await this.#database.queryText<Row>(query, [[...new Set(clientIds)]], allAccounts);
    const found = new Map(rows.map(([json]) => this.#toApplication(json)).map((one) => [one.clientId, one]));
    return clientIds.map((clientId) => found.get(clientId) ?? null);
  }

  #toApplication(json: string): Application {
    const known = this.#read.get(json);
    if (known !== undefined) return known;
    const application = toApplication(JSON.parse(json));
    this.#read.set(json, application);
    return application;
  }
}

function toApplication({ accountId, secrets, ...application }: Stored): Application {
  return {
    ...application,
    accountId: toAccountId(accountId),
    secrets: secrets.map(({ id, hash }) => ({ id, hash: Buffer.from(hash, 'base64') })),
  };
}
