import { timingSafeEqual } from 'node:crypto';
import { Problem } from '../problems/problem.js';
import type { Application, ClientRegistry, LiveSecret } from '../services/applications/client-registry.js';
import { hashSecret } from '../services/applications/client-secret.js';
import type { SecretUse } from '../services/applications/secret-use.js';
import type { AuditLog, AuditOrigin } from '../services/audit-log.js';
import type { FailureLimit } from '../services/failure-limit.js';
import { networkOf } from '../services/network-of-address.js';
import type { ClientCall } from './client-request-context.js';
import { withConstantTimeFailure } from './constant-time-failure.js';
import { type ClientCredentials, invalidClient } from './credentials.js';
import { requireParameter } from './parameters.js';

export { hashSecret };

interface Dependencies {
  readonly applications: ClientRegistry;
  readonly secretUse: SecretUse;
  readonly failureLimit: FailureLimit;
  readonly auditLog: AuditLog;
}

/** What an unknown client is compared with, so that it takes the same work as a known one. */
const nobody: LiveSecret = { id: '', hash: Buffer.alloc(32) };

/** Finds the application that a request to the token or revocation endpoint is made by. */
export class ClientAuthentication {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * A secret that is sent is always checked; whether one has to be sent is for the caller to decide.
   *
   * @throws {Problem} 400 `invalid_request` without a client_id; 401 `invalid_client` when the application is
   *   unknown or the secret is wrong, which look the same; 429 `rate_limit_exceeded` after too many of these, or
   *   after too many requests. Those that prove to be the client are counted together; others that only name it are
   *   counted for their address, so that they use up nothing of its limit.
   */
  async identify(
    credentials: ClientCredentials,
    { origin, admit, recognised }: Omit<ClientCall, 'authorization'>,
  ): Promise<Application> {
    const clientId = requireParameter('client_id', credentials.clientId);
    const { application, matched } = await withConstantTimeFailure(() =>
      this.#prove(clientId, credentials, origin),
    );
    recognised(application);
    await admit(
      matched === undefined
        ? `client ${clientId} address ${networkOf(origin.address)}`
        : `client ${clientId}`,
    );
    if (matched !== undefined) this.#dependencies.secretUse.note(application.accountId, matched.id);
    return application;
  }

  async #prove(
    clientId: string,
    credentials: ClientCredentials,
    origin: AuditOrigin,
  ): Promise<{ application: Application; matched: LiveSecret | undefined }> {
    const { applications } = this.#dependencies;
    const application = isClientId(clientId) ? await applications.findByClientId(clientId) : null;
    const { clientSecret } = credentials;
    const matched =
      clientSecret === undefined ? undefined : findMatch(clientSecret, application?.secrets ?? [nobody]);
    if (application === null || (clientSecret !== undefined && matched === undefined)) {
      await this.#countFailure(clientId, application, origin);
      throw invalidClient(credentials);
    }
    return { application, matched };
  }

  /**
   * A right secret is never locked out by wrong ones: with 256 random bits there is nothing to guess, and
   * nobody can stop a client by failing in its name.
   */
  async #countFailure(clientId: string, application: Application | null, origin: AuditOrigin): Promise<void> {
    const { failureLimit, auditLog } = this.#dependencies;
    const limit = await failureLimit.count({
      by: `client address ${networkOf(origin.address)}`,
      of: `client ${clientId}`,
    });
    if (limit !== null) {
      throw new Problem(
        'rate_limit_exceeded',
        'Too many failed client authentications. Wait, then try again.',
        {
          headers: { 'retry-after': String(limit.retryAfterSeconds) },
        },
      );
    }
    await auditLog.record({
      type: 'client_authentication.failed',
      accountId: application?.accountId,
      applicationId: application?.id,
      origin,
    });
  }
}

/** Whether a text can be a `client_id` at all; others need not be looked up. */
export function isClientId(text: string): boolean {
  return /^[A-Za-z0-9]{1,255}$/.test(text);
}

/** Compares with every candidate, in constant time, whichever matches. */
function findMatch(secret: string, candidates: readonly LiveSecret[]): LiveSecret | undefined {
  const given = hashSecret(secret);
  return candidates.filter(({ hash }) => timingSafeEqual(given, hash))[0];
}
