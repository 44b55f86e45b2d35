import { asksForSignIn } from '../../oauth/consent/repeated-sign-in.js';
import type { ActiveSession } from '../../platform/accounts/sessions.js';
import type { User } from '../../platform/accounts/user.js';
import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import type { Core } from '../../platform/core.js';
import { hashSecret } from '../../platform/crypto/keyring.js';
import { describeError } from '../../platform/database/database-errors.js';
import { FailureLimit } from '../../platform/limits/failure-limit.js';
import { networkOf } from '../../platform/network/network-of-address.js';
import type { IdentityProviders, StoredProvider } from './identity-providers.js';
import type { ProviderClaims } from './provider-claims.js';
import type { Provider, ProviderClient } from './provider-client.js';
import {
  ProviderError,
  type ProviderFindings,
  rejectionDetails,
  responseDetails,
  toStoredFailure,
} from './provider-errors.js';
import { type SignInRequest, SignInRequests } from './sign-in-requests.js';
import { acceptedTest, failedTest, type SignInTest } from './trial-sign-in.js';
import type { UserIdentities } from './user-identities.js';

/** A browser that starts single sign-on. */
export interface SingleSignOnStart {
  readonly accountId: string;
  /** Secret of the browser. */
  readonly browser: string;
  /** Path that the user returns to. */
  readonly returnTo: string;
  /** The form of an expired session, as text. */
  readonly keptForm?: string | null;
  /** Id of the session in which the user confirms who they are; absent: the user signs in. */
  readonly sessionId?: string;
  /** Whether the user of the session only tests the identity provider. */
  readonly test?: boolean;
  readonly origin: AuditOrigin;
}

type StartOutcome =
  | {
      readonly kind: 'started';
      /** URL at which the user signs in. The account chooses it. */
      readonly url: string;
      readonly accountName: string;
    }
  /** The account is unknown or has no identity provider. */
  | { readonly kind: 'not_found' }
  /** The identity provider does not respond, or its response is invalid. */
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number };

/** A browser that the identity provider has sent back. */
interface SingleSignOnReturn {
  readonly accountId: string;
  readonly browser: string;
  /** Query of the URL. */
  readonly query: string;
  /** The session of the browser. */
  readonly session: (Pick<ActiveSession, 'user' | 'stage'> & { readonly id: string }) | null;
  readonly userAgent: string | undefined;
  readonly origin: AuditOrigin;
}

export type ReturnOutcome =
  | {
      readonly kind: 'signed_in';
      readonly user: User;
      readonly sessionId: string;
      readonly returnTo: string;
      readonly keptForm: string | null;
    }
  /** Another user is signed in in the browser. No session is created. */
  | {
      readonly kind: 'other_user';
      readonly user: User;
      readonly signedIn: User;
      readonly returnTo: string;
    }
  | { readonly kind: 'confirmed'; readonly returnTo: string }
  | { readonly kind: 'tested'; readonly test: SignInTest; readonly user: User }
  /** The request is unknown, consumed or expired, or another browser started it. */
  | { readonly kind: 'expired' }
  | FailedReturn
  /** The identity has no user who may sign in. */
  | { readonly kind: 'rejected' }
  /** The identity is not that of the session, or the user did not sign in again. */
  | { readonly kind: 'not_confirmed' };

interface FailedReturn {
  readonly kind: ProviderError['kind'];
  readonly returnTo: string;
  /** Whether the user confirms a session. */
  readonly confirming: boolean;
}

/**
 * Factor between the sign-ins of an account that a network may start in a minute and the failure limit, because an office may
 * have one address.
 */
const startFactor = 10;

interface Parts {
  readonly providers: IdentityProviders;
  readonly client: ProviderClient;
  readonly identities: UserIdentities;
}

/** Signs users in at the identity provider of their account. @see OpenID Connect Core 1.0 section 3.1 */
export class SingleSignOn {
  readonly #core: Core;
  readonly #parts: Parts;
  readonly #requests: SignInRequests;
  /** Limits the sign-ins that a network starts and does not complete. */
  readonly #failureLimit: FailureLimit;

  constructor(core: Core, parts: Parts) {
    const { database, clock, counters, config } = core;
    this.#core = core;
    this.#parts = parts;
    this.#requests = new SignInRequests(database, clock);
    this.#failureLimit = new FailureLimit(counters.failures, config.rateLimitFailures * startFactor);
  }

  /** Starts a sign-in, the confirmation of a session, or a test. Returns the URL at which the user signs in. */
  async start(start: SingleSignOnStart): Promise<StartOutcome> {
    const { client } = this.#parts;
    const { accountId, browser, returnTo, keptForm = null, sessionId, test = false, origin } = start;
    const provider = await this.#provider(accountId);
    if (provider === null) return { kind: 'not_found' };
    const limit = await this.#failureLimit.count(countedAs(origin, accountId));
    if (limit !== null) return { kind: 'rate_limited', retryAfterSeconds: limit.retryAfterSeconds };
    if (provider === 'unreadable') return { kind: 'unavailable' };
    try {
      // Before the request is stored: an identity provider that does not respond must not fill the table.
      await client.prepare(provider);
      const sessionHash = sessionId === undefined ? null : hashSecret(sessionId);
      const expected = await this.#requests.create(provider, browser, {
        ...{ returnTo, keptForm, sessionHash, test },
      });
      const again = (sessionHash !== null && !test) || asksForSignIn(returnTo);
      const url = await client.authorizationUrl(provider, expected, { again });
      return { kind: 'started', url, accountName: provider.accountName };
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      this.#warn(provider, error);
      if (!test) await this.#recordFailure(provider, error.message, error.findings);
      return { kind: 'unavailable' };
    }
  }

  /** Completes a sign-in, the confirmation of a session, or a test. */
  async complete(response: SingleSignOnReturn): Promise<ReturnOutcome> {
    const states = new URLSearchParams(response.query).getAll('state');
    const [state] = states;
    if (state === undefined || states.length > 1) return { kind: 'expired' };
    const request = await this.#requests.consume(state, response.browser);
    // Another path: the response is that of another identity provider.
    if (request === null || request.accountId !== response.accountId) return { kind: 'expired' };
    const provider = await this.#provider(request.accountId);
    if (provider === null || provider === 'unreadable') return { kind: 'expired' };
    if (provider.issuer !== request.issuer || provider.clientId !== request.clientId)
      return { kind: 'expired' };
    if (request.test) return await this.#test(response, request, provider);
    const claims = await this.#claims(response, request, provider);
    if (isFailed(claims)) return claims;
    const outcome =
      request.sessionHash === null
        ? await this.#signIn(response, request, claims)
        : await this.#confirm(response, request, claims);
    if (['signed_in', 'other_user', 'confirmed'].includes(outcome.kind))
      await this.#failureLimit.removeFailure(countedAs(response.origin, request.accountId));
    return outcome;
  }

  async #claims(
    { query, origin, session }: SingleSignOnReturn,
    { accountId, issuer, expected, sessionHash, createdAt, returnTo }: SignInRequest,
    provider: Provider,
  ): Promise<ProviderClaims | FailedReturn> {
    const { client, identities } = this.#parts;
    const { clock, auditLog } = this.#core;
    // The user must have signed in after the request. `auth_time` has whole seconds.
    const elapsedSeconds = Math.ceil((clock().getTime() - createdAt.getTime()) / 1000);
    const needsAddress = async (claims: ProviderClaims) =>
      sessionHash === null && (await identities.find({ accountId, issuer, claims })) === null;
    try {
      const again = sessionHash === null && !asksForSignIn(returnTo) ? {} : { maxAge: elapsedSeconds };
      return await client.claims(provider, { query, expected, ...again, needsAddress });
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const type = sessionHash === null ? 'sign_in.failed' : 'reauthentication.failed';
      const userId = sessionHash === null ? undefined : session?.user.id;
      const details = responseDetails(error.message, provider.issuer, error.findings);
      await auditLog.record({ type, accountId, userId, origin, details });
      await this.#recordFailure(provider, error.message, error.findings);
      if (error.kind !== 'denied') this.#warn(provider, error);
      return { kind: error.kind, returnTo, confirming: sessionHash !== null };
    }
  }

  async #signIn(
    { origin, userAgent, session }: SingleSignOnReturn,
    { accountId, issuer, returnTo, keptForm, createdAt }: SignInRequest,
    claims: ProviderClaims,
  ): Promise<ReturnOutcome> {
    const { userSessions, auditLog, clock } = this.#core;
    const found = await this.#parts.identities.resolve({ accountId, issuer, claims }, origin);
    if (found.kind === 'rejected') {
      const { userId, reason } = found;
      const details = rejectionDetails(reason, issuer);
      await auditLog.record({ type: 'sign_in.failed', accountId, userId, origin, details });
      await this.#recordFailure({ accountId, issuer }, reason);
      return { kind: 'rejected' };
    }
    const { user } = found;
    // Another site may have sent the browser to the identity provider.
    if (session !== null && session.user.id !== user.id)
      return { kind: 'other_user', user, signedIn: session.user, returnTo };
    const details = { method: 'single_sign_on', issuer };
    const event = { type: 'sign_in.succeeded', accountId, userId: user.id, origin, details } as const;
    // The identity provider decides about second factors.
    const stated = authenticationTime(claims, clock());
    // A new sign-in has been verified: the time may be earlier only because the clocks differ.
    const isEarlier = asksForSignIn(returnTo) && stated < createdAt;
    const authenticatedAt = isEarlier ? createdAt : stated;
    const options = { event, secondFactor: true, issuer, authenticatedAt };
    const sessionId = await userSessions.create(user, { address: origin.address, userAgent }, options);
    if (sessionId === null) return { kind: 'rejected' };
    await this.#parts.providers.recordSuccess({ accountId, issuer }, clock());
    return { kind: 'signed_in', user, sessionId, returnTo, keptForm };
  }

  /** Reads the claims of an owner or administrator, and what they would lead to. Nothing of it is stored. */
  async #test(
    { query, origin, session }: SingleSignOnReturn,
    { accountId, issuer, expected, sessionHash }: SignInRequest,
    provider: Provider,
  ): Promise<ReturnOutcome> {
    const { client, identities } = this.#parts;
    if (!isOf(session, sessionHash) || session.user.role === 'member') return { kind: 'expired' };
    const { user } = session;
    try {
      const claims = await client.claims(provider, { query, expected, needsAddress: async () => true });
      const preview = await identities.preview({ accountId, issuer, claims });
      await this.#failureLimit.removeFailure(countedAs(origin, accountId));
      return { kind: 'tested', test: acceptedTest(claims, preview), user };
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return { kind: 'tested', test: failedTest(error.message, error.findings), user };
    }
  }

  async #confirm(
    { session, origin }: SingleSignOnReturn,
    { accountId, issuer, sessionHash, returnTo }: SignInRequest,
    claims: ProviderClaims,
  ): Promise<ReturnOutcome> {
    const { userSessions, auditLog } = this.#core;
    if (!isOf(session, sessionHash)) return { kind: 'expired' };
    const userId = session.user.id;
    const found = await this.#parts.identities.find({ accountId, issuer, claims });
    if (found?.kind !== 'found' || found.user.id !== userId) {
      const details = { method: 'single_sign_on', reason: 'other_identity', issuer };
      await auditLog.record({ type: 'reauthentication.failed', accountId, userId, origin, details });
      return { kind: 'not_confirmed' };
    }
    const details = { method: 'single_sign_on', issuer };
    const event = { type: 'reauthentication.succeeded', accountId, userId, origin, details } as const;
    await userSessions.confirm(session.id, event, 'single sign-on');
    return { kind: 'confirmed', returnTo };
  }

  async #provider(accountId: string): Promise<StoredProvider | 'unreadable' | null> {
    if (!/^\w[\w-]{0,63}$/.test(accountId)) return null;
    return await this.#parts.providers.find(accountId).catch((error) => {
      // Decryption fails with an AggregateError of both secrets.
      if (!(error instanceof AggregateError)) throw error;
      this.#core.logger.warn(
        { account_id: accountId },
        'the secret of an identity provider was encrypted with another APP_SECRET',
      );
      return 'unreadable' as const;
    });
  }

  async #recordFailure(
    provider: Pick<Provider, 'accountId' | 'issuer'>,
    reason: string,
    findings?: ProviderFindings,
  ): Promise<void> {
    const { providers } = this.#parts;
    await providers.recordFailure(provider, toStoredFailure(reason, findings), this.#core.clock());
  }

  #warn({ accountId, issuer }: Provider, error: ProviderError): void {
    // Causes of other errors may have parts of the response.
    const hasCause = error.kind === 'unavailable' && error.cause !== undefined;
    const reason = hasCause ? describeError(error.cause) : error.message;
    this.#core.logger.warn(
      { account_id: accountId, issuer, reason },
      'single sign-on failed at the identity provider',
    );
  }
}

/**
 * When the user signed in at the identity provider, which may have been long before it sent the user back; now if it does not
 * say so.
 */
function authenticationTime({ auth_time }: ProviderClaims, now: Date): Date {
  if (typeof auth_time !== 'number') return now;
  return new Date(Math.min(Math.max(auth_time * 1000, 0), now.getTime()));
}

/** Whether a session has started the request, and is complete. */
function isOf(
  session: SingleSignOnReturn['session'],
  sessionHash: SignInRequest['sessionHash'],
): session is NonNullable<SingleSignOnReturn['session']> {
  return session?.stage === 'complete' && sessionHash !== null && hashSecret(session.id).equals(sessionHash);
}

/** Claims always have a subject. */
function isFailed(claims: ProviderClaims | FailedReturn): claims is FailedReturn {
  return !('sub' in claims);
}

/**
 * Counted for the network and not for the account alone, so that an attacker cannot close the sign-in of an account. An account
 * has a tenth of the limit of a network, so that the sign-ins of one account do not close those of the others.
 */
function countedAs({ address }: AuditOrigin, accountId: string) {
  const by = `single sign-on ${accountId}`;
  return { by, address, of: `single sign-on ${networkOf(address)}`, ofFactor: 10 };
}
