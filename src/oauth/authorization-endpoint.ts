import type { AccountId } from '../platform/accounts/account-id.js';
import type { User } from '../platform/accounts/user.js';
import type { AuditOrigin } from '../platform/audit/audit-log.js';
import type { operations } from '../platform/contract/generated.js';
import { hashSecret } from '../platform/crypto/keyring.js';
import { invalidParameter } from '../platform/problems/invalid-request.js';
import { OtherAccountProblem, oauthDescription, Problem } from '../platform/problems/problem.js';
import { violation } from '../platform/problems/rule-texts.js';
import {
  type Application,
  type Client,
  type ClientRegistry,
  isApplication,
} from './clients/client-registry.js';
import { invalidClient } from './clients/credentials.js';
import {
  type ApprovalChanges,
  changesSinceApproval,
  type Installation,
  type Publisher,
} from './clients/installations.js';
import { isMetadataDocumentUrl } from './clients/metadata-document.js';
import { checkRedirectUri, isForDevelopment, withResponse } from './clients/redirect-uris.js';
import { readSignInDemands } from './consent/sign-in-demands.js';
import { invalidRequestUri, type PushedRequest } from './grants/pushed-requests.js';
import { type Resource, readResource } from './resources.js';
import { checkScopes, mayGrant } from './scopes.js';
import type { OAuthServices } from './services.js';
import { newOpaqueToken } from './tokens/opaque-token.js';

/** Parameters of an authorization request, in its query or pushed, validated against the contract. */
export type AuthorizationParameters = Query &
  Required<Pick<Query, 'redirect_uri' | 'scope' | 'state' | 'code_challenge'>>;

type Query = operations['authorize']['parameters']['query'];

/**
 * An error that is sent to the application by redirect. Its redirect URI was checked before.
 *
 * @see RFC 6749 section 4.1.2.1
 */
class AuthorizationRejection extends Error {
  override readonly name = 'AuthorizationRejection';
  readonly error:
    | 'invalid_scope'
    | 'invalid_target'
    | 'access_denied'
    | 'login_required'
    | 'consent_required';

  constructor(error: AuthorizationRejection['error'], description: string) {
    super(description);
    this.error = error;
  }
}

/** @throws {Problem} 401 `invalid_client`; never a redirect, because an unknown client has no registered redirect URI */
async function knownClient(clients: ClientRegistry, clientId: string): Promise<Client> {
  const application = await clients.findByClientId(clientId);
  if (application === null) throw invalidClient({ basic: false }, 'Unknown client_id.');
  return application;
}

/** Maximum length of `state`, in bytes of UTF-8. */
const maximumBytes = 2048;

/**
 * Limits the bytes of `state`. The contract limits its characters, which a schema can count.
 *
 * @throws {Problem} 400 `invalid_request`; never a redirect
 */
export function checkStateLength(state: string): void {
  if (Buffer.byteLength(state) > maximumBytes) {
    throw invalidParameter('state', violation('maximum_bytes', { maximum: maximumBytes }));
  }
}

/**
 * Enforces the setting "Require pushed requests" of an application.
 *
 * @throws {Problem} 400 `invalid_request`; never a redirect
 * @see RFC 9126 section 5
 */
function checkPushed({ requirePushedRequests }: Client, { request_uri }: AuthorizationParameters): void {
  if (requirePushedRequests && request_uri === undefined)
    throw invalidParameter('request_uri', violation('required_pushed_request'));
}

/** The pushed request with these parameters; `null` when they were in the query. */
function pushedRequestOf(client: Client, { request_uri }: AuthorizationParameters): PushedRequest | null {
  if (request_uri === undefined || !isApplication(client)) return null;
  return { hash: hashSecret(request_uri), accountId: client.accountId };
}

/** @throws {AuthorizationRejection} `invalid_scope` */
function configuredScopes({ scopes: available }: Application, requested: string): string[] {
  const { scopes, error } = checkScopes(requested, available);
  if (error !== undefined) throw new AuthorizationRejection('invalid_scope', error);
  return scopes;
}

/** @throws {AuthorizationRejection} `access_denied` when the account forbids the application */
function checkStage({ stage }: Application): void {
  if (stage !== 'forbidden') return;
  throw new AuthorizationRejection(
    'access_denied',
    'The account does not allow applications in development.',
  );
}

/** @throws {AuthorizationRejection} `invalid_target` */
function requestedResource({ resource }: AuthorizationParameters, baseUrl: string): Resource {
  try {
    return readResource(resource, baseUrl) ?? 'api';
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new AuthorizationRejection('invalid_target', error.message);
  }
}

/**
 * The response to `prompt=none`, which never issues a code, because consent is always requested. A user whose account cannot use the
 * application counts as not signed in, so that the application learns nothing about the user.
 *
 * @see OpenID Connect Core 1.0 section 3.1.2.6
 */
function silentRejection(client: Client, user: User | null): AuthorizationRejection {
  const isOwn = isApplication(client) && client.accountId === user?.accountId;
  if (user === null || !(isOwn || client.shared))
    return new AuthorizationRejection('login_required', 'The user must sign in.');
  return new AuthorizationRejection('consent_required', 'The user must consent to each request.');
}

interface GrantableScopes {
  readonly offered: readonly string[];
  /** Scopes that the user may not grant: shown and omitted. */
  readonly withheld: readonly string[];
}

/** @throws {AuthorizationRejection} `access_denied` when the user may grant none of the requested scopes */
function grantableScopes({ role }: User, requested: readonly string[]): GrantableScopes {
  const offered = requested.filter((scope) => mayGrant(role, scope));
  if (offered.length === 0) {
    throw new AuthorizationRejection('access_denied', 'The user may not grant any of the requested scopes.');
  }
  return { offered, withheld: requested.filter((scope) => !offered.includes(scope)) };
}

/** Next step of an authorization request. */
export type AuthorizationStep =
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'sign_in' }
  | ApprovalStep
  | ConsentStep;

/** The account must approve the application, which it has not registered, or which has changed since it was approved. */
export interface ApprovalStep {
  readonly kind: 'approval';
  readonly client: Client;
  readonly publisher: Publisher | null;
  readonly user: User;
  /** The suspended installation; `null` when the account has none. */
  readonly installation: Installation | null;
  /** What has changed since the approval; `null` when nothing has. */
  readonly changes: ApprovalChanges | null;
}

/**
 * A step before the account uses an application with a metadata document, which needs a page.
 *
 * @throws {Problem} 400 `invalid_request` for `prompt=none`; never a redirect
 */
function withPage(step: AuthorizationStep, silent: boolean): AuthorizationStep {
  if (silent) throw invalidParameter('prompt', violation('prompt_of_document'));
  return step;
}

/** The user decides. */
export interface ConsentStep {
  readonly kind: 'consent';
  readonly application: Application;
  /** `null` for an application that the account has registered. */
  readonly publisher: Publisher | null;
  readonly user: User;
  readonly scopes: GrantableScopes;
  readonly resource: Resource;
  /** The pushed request, which the decision consumes; `null` when there is none. */
  readonly pushed: PushedRequest | null;
}

interface Decision {
  readonly allowed: boolean;
  /** The scopes that the user allows, at least one of those that are offered. */
  readonly scopes: readonly string[];
  readonly origin: AuditOrigin;
  readonly sessionId: string;
}

/** User, application and origin of a decision. */
interface Subject {
  readonly accountId: AccountId;
  readonly userId: string;
  readonly applicationId: string;
  readonly origin: AuditOrigin;
}

/** Requests the consent of a user and issues authorization codes. @see RFC 6749 section 4.1 and RFC 7636 */
export class AuthorizationEndpoint {
  readonly #services: OAuthServices;

  constructor(services: OAuthServices) {
    this.#services = services;
  }

  /**
   * Checks a request. Errors redirect to the application only after sign-in and when the account uses the application: otherwise
   * the endpoint would be an open redirector. A metadata document is read after sign-in, so that only users make this server send
   * requests. `prompt=none` redirects to a registered redirect URI at once, because no page may be shown. A metadata document, which any
   * site can have, registers no URI: the account must have approved it.
   *
   * @param user `null` also when the user must sign in again, see {@link readSignInDemands}
   * @throws {Problem} 400 `invalid_request`, 401 `invalid_client`, 403 `access_denied`
   * @see RFC 9700 section 4.11.2
   */
  async prepare(
    parameters: AuthorizationParameters,
    user: User | null,
    origin: AuditOrigin,
  ): Promise<AuthorizationStep> {
    checkStateLength(parameters.state);
    const { silent } = readSignInDemands(parameters);
    const isDocument = isMetadataDocumentUrl(parameters.client_id);
    if (user === null && isDocument) return withPage({ kind: 'sign_in' }, silent);
    const client = await this.#findClient(parameters, user, origin);
    checkRedirectUri(client, parameters.redirect_uri);
    checkPushed(client, parameters);
    if (silent && !isDocument) return this.#rejected(parameters, silentRejection(client, user));
    if (user === null) return { kind: 'sign_in' };
    const application = await this.#findApplication(client, user, origin);
    if ('kind' in application) return withPage(application, silent);
    try {
      if (silent) throw silentRejection(client, user);
      checkStage(application);
      const resource = requestedResource(parameters, this.#services.config.baseUrl);
      const requested = configuredScopes(application, parameters.scope);
      const scopes = grantableScopes(user, requested);
      const publisher =
        application.installation === null
          ? null
          : await this.#services.installations.publisher(application.clientId);
      const pushed = pushedRequestOf(client, parameters);
      return { kind: 'consent', application, publisher, user, scopes, resource, pushed };
    } catch (error) {
      if (!(error instanceof AuthorizationRejection)) throw error;
      return this.#rejected(parameters, error);
    }
  }

  #rejected(parameters: AuthorizationParameters, rejection: AuthorizationRejection): AuthorizationStep {
    return {
      kind: 'redirect',
      location: responseUrl(parameters, this.#services.config.baseUrl, rejection),
    };
  }

  /** @throws {Problem} 401 `invalid_client`, 429 `rate_limit_exceeded` */
  async #findClient(
    { client_id, redirect_uri }: AuthorizationParameters,
    user: User | null,
    origin: AuditOrigin,
  ): Promise<Client> {
    const { clients, documents } = this.#services;
    if (user === null || !isMetadataDocumentUrl(client_id)) return knownClient(clients, client_id);
    const client = await documents.read(client_id, user, origin);
    // The same document can be for an application on a server and on the computer of a user.
    return { ...client, stage: isForDevelopment(redirect_uri) ? 'development' : 'live' };
  }

  /**
   * The application of the client in the account of the user. An installation is suspended when the client is no longer what the
   * account approved.
   *
   * @throws {OtherAccountProblem} when only its own account can use it; never a redirect, so that the application learns nothing
   *   about the user
   */
  async #findApplication(
    client: Client,
    user: User,
    origin: AuditOrigin,
  ): Promise<Application | ApprovalStep> {
    if (isApplication(client) && client.accountId === user.accountId) return client;
    if (!client.shared) throw new OtherAccountProblem();
    const { installations, clock } = this.#services;
    const installation = await installations.find(user.accountId, client);
    const changes = installation && changesSinceApproval(client, installation.approved);
    if (installation !== null && !installation.suspended) {
      if (changes === null) return installation;
      await installations.suspend(installation, { userId: user.id, origin, at: clock(), changes });
    }
    const publisher = await installations.publisher(client.clientId);
    return { kind: 'approval', client, publisher, user, installation, changes };
  }

  /**
   * Handles the decision of the user.
   *
   * @param step the request, checked again: the application may have changed since the consent screen was shown
   * @returns the URL of the application with the response
   * @throws {Problem} 400 `invalid_request` when the pushed request was consumed; see also {@link #issueCode}
   */
  async decide(
    parameters: AuthorizationParameters,
    step: ConsentStep,
    { allowed, scopes, origin, sessionId }: Decision,
  ): Promise<string> {
    const { config, auditLog, pushedRequests } = this.#services;
    const subject: Subject = {
      accountId: step.user.accountId,
      userId: step.user.id,
      applicationId: step.application.id,
      origin,
    };
    if (!allowed) {
      if (step.pushed !== null && !(await pushedRequests.consume(step.pushed))) throw invalidRequestUri();
      await auditLog.record({ type: 'consent.denied', ...subject });
      const rejection = new AuthorizationRejection('access_denied', 'The user denied the request.');
      return responseUrl(parameters, config.baseUrl, rejection);
    }
    const code = await this.#issueCode(
      parameters,
      { ...subject, sessionId },
      { scopes, resource: step.resource, pushed: step.pushed },
    );
    return responseUrl(parameters, config.baseUrl, { code });
  }

  /**
   * Stores a code and its audit events, and consumes the pushed request, in one transaction.
   *
   * @throws {Problem} 400 `invalid_request` when the pushed request was consumed, 401 `invalid_client` when the application was deleted, 403 `access_denied` when the user was disabled
   *   or may no longer grant the scopes, or the session was revoked
   */
  async #issueCode(
    { redirect_uri, code_challenge, dpop_jkt, nonce }: AuthorizationParameters,
    subject: Subject & { readonly sessionId: string },
    { scopes, ...request }: Pick<ConsentStep, 'resource' | 'pushed'> & { readonly scopes: readonly string[] },
  ): Promise<string> {
    const { codes, clock, config } = this.#services;
    const { value, hash } = newOpaqueToken();
    const at = clock();
    const outcome = await codes.store({
      ...subject,
      codeHash: hash,
      redirectUri: redirect_uri,
      scopes,
      codeChallenge: code_challenge,
      dpopJkt: dpop_jkt ?? null,
      ...request,
      nonce: nonce ?? null,
      at,
      expiresAt: new Date(at.getTime() + config.authorizationCodeTtlSeconds * 1000),
    });
    if (outcome === 'request_consumed') throw invalidRequestUri();
    if (outcome === 'application_deleted') throw invalidClient({ basic: false });
    if (outcome === 'not_grantable')
      throw new Problem(
        'access_denied',
        'Your permissions have changed. Go back to the application and start again.',
      );
    return value;
  }
}

/** Redirect URI with the response in its query. @see RFC 6749 section 4.1.2 and RFC 9207 section 2 for `iss` */
function responseUrl(
  { redirect_uri, state }: AuthorizationParameters,
  issuer: string,
  response: { code: string } | AuthorizationRejection,
): string {
  const parameters =
    response instanceof AuthorizationRejection
      ? { error: response.error, error_description: oauthDescription(response.message) }
      : { code: response.code };
  return withResponse(redirect_uri, { ...parameters, state, iss: issuer });
}
