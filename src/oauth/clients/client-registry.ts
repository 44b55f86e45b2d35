import { LRUCache } from 'lru-cache';
import { type AccountId, toAccountId } from '../../platform/accounts/account-id.js';
import type { Database } from '../../platform/database/client.js';
import { clientById } from './client-by-id.js';

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
  /** Generation of client credentials tokens. Tokens of an earlier generation are revoked. */
  readonly tokenGeneration: number;
  /** The secrets that are accepted; empty for a public client. */
  readonly secrets: readonly LiveSecret[];
}

export type ClientType = 'confidential' | 'public';

export interface LiveSecret {
  readonly id: string;
  /** SHA-256. */
  readonly hash: Uint8Array;
}

interface Stored extends Omit<Application, 'accountId' | 'secrets'> {
  readonly accountId: string;
  readonly secrets: readonly { id: string; hash: string }[];
}

/** Maximum number of JSON texts of applications whose parsed form is cached. */
const maxCachedApplications = 1_000;

/** Reads OAuth clients. */
export class ClientRegistry {
  readonly #find: (clientId: string) => Promise<string | null>;
  readonly #cache = new LRUCache<string, Application>({ max: maxCachedApplications });

  constructor(database: Database) {
    this.#find = clientById(database);
  }

  /** Finds the application with this `client_id` in any account, because the account is not known yet. */
  async findByClientId(clientId: string): Promise<Application | null> {
    const json = await this.#find(clientId);
    return json === null ? null : this.#toApplication(json);
  }

  #toApplication(json: string): Application {
    const cached = this.#cache.get(json);
    if (cached !== undefined) return cached;
    const application = toApplication(JSON.parse(json));
    this.#cache.set(json, application);
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
