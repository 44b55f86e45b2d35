import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/client.js';
import { clientById } from '../../database/hot/client-by-id.js';
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

interface Stored extends Omit<Application, 'accountId' | 'secrets'> {
  readonly accountId: string;
  readonly secrets: readonly { id: string; hash: string }[];
}

/** Texts of applications that need not be read again, as long as the database says the same. */
const rememberedTexts = 1_000;

export class ClientRegistry {
  readonly #find: (clientId: string) => Promise<string | null>;
  readonly #read = new LRUCache<string, Application>({ max: rememberedTexts });

  constructor(database: Database) {
    this.#find = clientById(database);
  }

  /** The application with this `client_id`, whatever its account: a client is known before its account is. */
  async findByClientId(clientId: string): Promise<Application | null> {
    const json = await this.#find(clientId);
    return json === null ? null : this.#toApplication(json);
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
