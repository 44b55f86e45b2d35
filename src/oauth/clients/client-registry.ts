import { LRUCache } from 'lru-cache';
import { type AccountId, toAccountId } from '../../platform/accounts/account-id.js';
import type { Database } from '../../platform/database/client.js';
import { defineLookup } from '../../platform/database/define-lookup.js';
import { allAccounts, withScope } from '../../platform/database/scope.js';
import { knownScopes } from '../scopes.js';
import { type ClientKeys, usesKeys } from './client-keys.js';
import { isMetadataDocumentUrl, type MetadataDocument } from './metadata-document.js';
import { isForDevelopment } from './redirect-uris.js';

/**
 * Looks up the OAuth client with a `client_id`, and its secrets, as JSON. It reads all accounts, because the account is
 * not known yet.
 *
 * Benchmarks `token` (1.6 times oidc-provider) and `refresh`; compared with the models in
 * test/oauth/client-by-id.test.ts.
 */
export const clientById = defineLookup({
  name: 'client_by_id',
  columns: { client_id: 'text' },
  request: (clientId: string) => ({ client_id: clientId }),
  sql: `
    SELECT json_build_object(
      'id', id, 'accountId', account_id, 'clientId', client_id, 'clientType', client_type, 'name', name,
      'redirectUris', redirect_uris, 'scopes', scopes, 'requireClientSecret', require_client_secret,
      'jwks', jwks, 'jwksUri', jwks_uri,
      'requires', require_proof_of_possession::int + 2 * require_pushed_requests::int,
      'tokenGeneration', token_generation,
      'stage', CASE
        WHEN NOT in_development THEN 'live'
        WHEN (SELECT development_allowed FROM accounts WHERE accounts.id = applications.account_id) THEN 'development'
        ELSE 'forbidden' END,
      'shared', EXISTS (SELECT FROM shared_applications shared WHERE shared.client_id = applications.client_id),
      'secrets', (SELECT coalesce(json_agg(
                      CASE WHEN expires_at IS NULL
                        THEN json_build_object('id', secret.id, 'hash', encode(secret_hash, 'base64'))
                        ELSE json_build_object('id', secret.id, 'hash', encode(secret_hash, 'base64'),
                                               'expiresAt', (extract(epoch FROM expires_at) * 1000)::bigint)
                      END ORDER BY secret.id), '[]')
                  FROM application_secrets secret
                  WHERE secret.account_id = applications.account_id AND secret.application_id = applications.id))::text AS json
    FROM applications
    WHERE applications.client_id = request.client_id AND applications.installed_client_id IS NULL`,
  toValue: ({ json }: { json: string }) => json,
  scope: () => allAccounts,
  maxBatchSize: 200,
  concurrency: 2,
});

/** An OAuth client, as the authorization, token and revocation endpoints need it. */
export interface Client extends ClientKeys {
  readonly clientId: string;
  readonly clientType: ClientType;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  /** The scopes that an account must approve; none for a client whose metadata document lists none, which may request all. */
  readonly declaredScopes: readonly string[];
  /** Whether every token request must contain the secret; `false` for a public client. */
  readonly requireClientSecret: boolean;
  /** Whether every token request must have a DPoP proof. */
  readonly requireProofOfPossession: boolean;
  /** Whether every authorization request must have been pushed. */
  readonly requirePushedRequests: boolean;
  /** `forbidden`: in development, which its account does not allow. It cannot be authorized and gets no tokens. */
  readonly stage: 'live' | 'development' | 'forbidden';
  /** Whether accounts that have not registered it can use it. */
  readonly shared: boolean;
  /** The secrets, with those that have expired; empty for a public client, and for one that authenticates with keys. */
  readonly secrets: readonly ClientSecret[];
}

/** A client in an account that uses it: an application that the account has registered, or an installation. */
export interface Application extends Client {
  readonly id: string;
  readonly accountId: AccountId;
  /** Generation of client credentials tokens. Tokens of an earlier generation are revoked. */
  readonly tokenGeneration: number;
  /** Internal id of an installation, which its access tokens contain; `null` in the account that has registered it. */
  readonly installation: string | null;
}

/** Whether a client is an application of an account. One that a metadata document describes is of none. */
export function isApplication(client: Client): client is Application {
  return 'accountId' in client;
}

/** Why the account forbids a client, as a sentence; `undefined` when it does not. */
export function stageError({ stage }: Client): string | undefined {
  return stage === 'forbidden' ? 'The account does not allow applications in development.' : undefined;
}

export type ClientType = 'confidential' | 'public';

export interface ClientSecret {
  readonly id: string;
  /** SHA-256. */
  readonly hash: Uint8Array;
  /** Milliseconds since the epoch, from which on the secret is rejected. Missing when it never expires. */
  readonly expiresAt?: number;
}

interface Stored
  extends Omit<
    Application,
    | 'accountId'
    | 'secrets'
    | 'installation'
    | 'declaredScopes'
    | 'requireProofOfPossession'
    | 'requirePushedRequests'
  > {
  readonly accountId: string;
  /**
   * The sum of 1 when token requests must have a DPoP proof, and 2 when authorization requests must be pushed. Each token request reads
   * it, so it is short.
   */
  readonly requires: number;
  readonly secrets: readonly (Omit<ClientSecret, 'hash'> & { hash: string })[];
}

/** Maximum number of JSON texts of applications whose parsed form is cached. */
const maxCachedApplications = 1_000;

/** Reads OAuth clients. */
export class ClientRegistry {
  readonly #find: (clientId: string) => Promise<string | null>;
  readonly #cache = new LRUCache<string, Application>({ max: maxCachedApplications });

  readonly #prisma: Database['prisma'];

  constructor(database: Database) {
    this.#prisma = database.prisma;
    this.#find = clientById(database);
  }

  /** Finds the client with this `client_id`: an application of any account, or one whose metadata document has been read. */
  find(clientId: string): Promise<Client | null> {
    return isMetadataDocumentUrl(clientId) ? this.#findDescribed(clientId) : this.findByClientId(clientId);
  }

  async #findDescribed(clientId: string): Promise<Client | null> {
    const shared = await this.#prisma.sharedApplication.findUnique({ where: { clientId } });
    return shared?.document == null ? null : describedClient(shared.document as unknown as MetadataDocument);
  }

  /**
   * Finds the application with this `client_id` in the account that has registered it. It reads all accounts, because the
   * account is not known yet. Text that is not a `client_id` is not looked up.
   */
  async findByClientId(clientId: string): Promise<Application | null> {
    const json = isClientId(clientId) ? await this.#find(clientId) : null;
    if (json === null) return null;
    const cached = this.#cache.get(json);
    if (cached !== undefined) return cached;
    const application = toApplication(JSON.parse(json));
    this.#cache.set(json, application);
    return application;
  }

  /** The URIs to which a client may send browsers after they were signed out. One that a metadata document describes has none. */
  async postLogoutRedirectUris({ clientId }: Client): Promise<readonly string[]> {
    const select = { postLogoutRedirectUris: true };
    const stored = await withScope(allAccounts, () =>
      this.#prisma.application.findUnique({ where: { clientId }, select }),
    );
    return stored?.postLogoutRedirectUris ?? [];
  }
}

function toApplication({ accountId, secrets, requires, ...application }: Stored): Application {
  return {
    ...application,
    requireProofOfPossession: (requires & 1) !== 0,
    requirePushedRequests: (requires & 2) !== 0,
    declaredScopes: application.scopes,
    installation: null,
    accountId: toAccountId(accountId),
    secrets: secrets.map(({ hash, ...secret }) => ({ ...secret, hash: Buffer.from(hash, 'base64') })),
  };
}

/** Whether a string has the form of a `client_id`. */
export function isClientId(text: string): boolean {
  return /^[A-Za-z0-9]{1,255}$/.test(text);
}

/** The client that a metadata document describes. */
export function describedClient(document: MetadataDocument): Client {
  const { clientId, name, redirectUris, scopes } = document;
  // Documents that were stored by earlier versions have no keys.
  const { jwks = null, jwksUri = null } = document;
  return {
    clientId,
    clientType: usesKeys({ jwks, jwksUri }) ? 'confidential' : 'public',
    jwks,
    jwksUri,
    name,
    redirectUris,
    scopes: scopes ?? knownScopes,
    declaredScopes: scopes ?? [],
    requireClientSecret: false,
    requireProofOfPossession: false,
    requirePushedRequests: false,
    stage: redirectUris.every(isForDevelopment) ? 'development' : 'live',
    shared: true,
    secrets: [],
  };
}
