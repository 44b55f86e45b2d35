import { timingSafeEqual } from 'node:crypto';
import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import type { Core } from '../../platform/core.js';
import { hashSecret } from '../../platform/crypto/keyring.js';
import { networkOf } from '../../platform/network/network-of-address.js';
import { type Problem, retryLater } from '../../platform/problems/problem.js';
import { withConstantTimeFailure } from '../constant-time-failure.js';
import type { ClientAssertions } from './client-assertion.js';
import { usesKeys } from './client-keys.js';
import { type Client, type ClientRegistry, type ClientSecret, isApplication } from './client-registry.js';
import { type ClientCall, type ClientCredentials, invalidClient, requireParameter } from './credentials.js';
import type { LastUseRecorder } from './last-use-recorder.js';

/** Compared with the secret of an unknown client, so that it takes the same time as a known one. */
const unknownClientSecret: ClientSecret = { id: '', hash: Buffer.alloc(32) };

interface Dependencies extends Pick<Core, 'clock' | 'failureLimit' | 'auditLog'> {
  readonly clients: ClientRegistry;
  readonly assertions: ClientAssertions;
  readonly lastUseRecorder: LastUseRecorder;
}

/** Authenticates the client of a request to the token or revocation endpoint. */
export class ClientAuthentication {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Checks a secret or an assertion if the request has one. The caller decides whether a secret is required. A client with keys
   * must always send an assertion.
   *
   * @throws {Problem} 400 `invalid_request` without a client_id; 401 `invalid_client` when the application is
   *   unknown or the secret is wrong or has expired, with the same text; 429 `rate_limit_exceeded` after too many failures or
   *   requests. Authenticated requests are counted for the client, others for their IP address, so that requests without
   *   the secret do not consume the limit of the client.
   */
  async identify(credentials: ClientCredentials, call: Omit<ClientCall, 'authorization'>): Promise<Client> {
    const { origin, admit, onAuthenticated } = call;
    const clientId = requireParameter('client_id', credentials.clientId);
    const { client, matched, authenticated } = await withConstantTimeFailure(() =>
      this.#prove(clientId, credentials, call),
    );
    onAuthenticated(client);
    await admit(
      authenticated ? `client ${clientId}` : `client ${clientId} address ${networkOf(origin.address)}`,
    );
    if (matched !== undefined && isApplication(client))
      this.#dependencies.lastUseRecorder.record(client.accountId, matched.id);
    return client;
  }

  async #prove(
    clientId: string,
    credentials: ClientCredentials,
    { origin, onRejected }: Pick<ClientCall, 'origin' | 'onRejected'>,
  ): Promise<{ client: Client; matched: ClientSecret | undefined; authenticated: boolean }> {
    const { clients, assertions, clock } = this.#dependencies;
    const client = await clients.find(clientId);
    const { clientSecret, assertion } = credentials;
    if (assertion !== undefined) {
      if (client !== null && usesKeys(client) && (await assertions.consume(assertion, client)))
        return { client, matched: undefined, authenticated: true };
      throw await this.#rejected(clientId, client, { credentials, origin, onRejected });
    }
    const matched =
      clientSecret === undefined
        ? undefined
        : findMatch(clientSecret, client?.secrets ?? [unknownClientSecret], clock());
    if (client === null || (clientSecret !== undefined && matched === undefined))
      throw await this.#rejected(clientId, client, { credentials, origin, onRejected });
    if (usesKeys(client)) throw invalidClient(credentials, 'The application must send a client_assertion.');
    return { client, matched, authenticated: matched !== undefined };
  }

  /** Counts a failed authentication, and returns its error. */
  async #rejected(
    clientId: string,
    client: Client | null,
    {
      credentials,
      origin,
      onRejected,
    }: Pick<ClientCall, 'origin' | 'onRejected'> & { credentials: ClientCredentials },
  ): Promise<Problem> {
    if (client !== null) onRejected(client);
    await this.#countFailure(clientId, client, origin);
    return credentials.assertion === undefined
      ? invalidClient(credentials)
      : invalidClient(
          credentials,
          'The client_assertion is invalid, expired or already used, or its key is unknown.',
        );
  }

  /**
   * Failures never block requests with the right secret: 256 random bits cannot be guessed, and otherwise an attacker
   * could lock a client out.
   */
  async #countFailure(clientId: string, client: Client | null, origin: AuditOrigin): Promise<void> {
    const { failureLimit, auditLog } = this.#dependencies;
    const limit = await failureLimit.count({
      by: 'client address',
      address: origin.address,
      of: `client ${clientId}`,
    });
    if (limit !== null) {
      const detail = 'Too many failed client authentications.';
      throw retryLater('rate_limit_exceeded', detail, limit.retryAfterSeconds);
    }
    await auditLog.record({
      type: 'client_authentication.failed',
      ...(client !== null &&
        isApplication(client) && { accountId: client.accountId, applicationId: client.id }),
      origin,
    });
  }
}

/** Compares with every candidate in constant time, also with those that have expired. */
function findMatch(secret: string, candidates: readonly ClientSecret[], now: Date): ClientSecret | undefined {
  const given = hashSecret(secret);
  const [match] = candidates.filter(({ hash }) => timingSafeEqual(given, hash));
  return match?.expiresAt !== undefined && match.expiresAt <= now.getTime() ? undefined : match;
}
