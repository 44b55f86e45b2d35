import type { AccountId } from '../platform/accounts/account-id.js';
import type { User } from '../platform/accounts/user.js';
import type { AuditOrigin } from '../platform/audit/audit-log.js';
import { secondsAfter } from '../platform/clock.js';
import { newOpaqueToken } from '../platform/crypto/keyring.js';
import { invalidParameter } from '../platform/problems/invalid-request.js';
import { OtherAccountProblem, Problem } from '../platform/problems/problem.js';
import { violation } from '../platform/problems/rule-texts.js';
import {
  type AuthorizationParameters,
  AuthorizationRejection,
  checkPushed,
  checkStateLength,
  configuredScopes,
  type GrantableScopes,
  grantableScopes,
  knownClient,
  pushedRequestOf,
  requestedResource,
  responseUrl,
  silentRejection,
} from './authorization-request.js';
import { type Application, type Client, isApplication, stageError } from './clients/client-registry.js';
import { invalidClient } from './clients/credentials.js';
import {
  type ApprovalChanges,
  changesSinceApproval,
  type Installation,
  type Publisher,
} from './clients/installations.js';
import { isMetadataDocumentUrl } from './clients/metadata-document.js';
import { checkRedirectUri, isForDevelopment } from './clients/redirect-uris.js';
import { readSignInDemands } from './consent/sign-in-demands.js';
import { invalidRequestUri, type PushedRequest } from './grants/pushed-requests.js';
import type { Resource } from './resources.js';
import type { OAuthServices } from './services.js';

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
   * requests. `prompt=none` redirects to a registered redirect URI at once, because no page may be shown. A metadata document,
   * which any site can have, registers no URI: the account must have approved it.
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
      const forbidden = stageError(application);
      if (forbidden !== undefined) throw new AuthorizationRejection('access_denied', forbidden);
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
   * @throws {Problem} 400 `invalid_request` when the pushed request was consumed, 401 `invalid_client` when the application was
   *   deleted, 403 `access_denied` when the user was disabled or may no longer grant the scopes, or the session was revoked
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
      expiresAt: secondsAfter(at, config.authorizationCodeTtlSeconds),
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
