import type { User } from '../../platform/accounts/user.js';
import type { operations } from '../../platform/contract/generated.js';
import { parseUrl } from '../../platform/contract/outside-text.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import type { Problem } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';
import { checkStateLength } from '../authorization-request.js';
import { type Client, isApplication } from '../clients/client-registry.js';
import { isMetadataDocumentUrl } from '../clients/metadata-document.js';
import { checkRedirectUri, withResponse } from '../clients/redirect-uris.js';
import type { OAuthServices } from '../services.js';

/** Parameters of a logout request, validated against the contract. */
export type LogoutParameters = NonNullable<operations['getLogout']['parameters']['query']>;

/** What a logout request asks for, checked. */
export interface LogoutStep {
  /** Name of the application that asks; `null` when it is unknown. */
  readonly applicationName: string | null;
  /** Its id in the account of the user; `null` when the account does not use it, and without a user. */
  readonly applicationId: string | null;
  /** Where the browser is sent afterwards; `null`: to a page of this server. */
  readonly redirect: Redirect | null;
}

interface Redirect {
  readonly location: string;
  /** Of the location, for the user. */
  readonly host: string;
}

const unnamed: LogoutStep = { applicationName: null, applicationId: null, redirect: null };

/** Checks requests of applications that a user is signed out. @see OpenID Connect RP-Initiated Logout 1.0 */
export class LogoutEndpoint {
  readonly #services: OAuthServices;

  constructor(services: OAuthServices) {
    this.#services = services;
  }

  /**
   * Checks a request. An error never redirects, because a redirect URI is not trusted before it was found registered.
   *
   * @param user the user of the browser; `null` without a session
   * @throws {Problem} 400 `invalid_request`
   * @see OpenID Connect RP-Initiated Logout 1.0 sections 2 and 3
   */
  async prepare(parameters: LogoutParameters, user: User | null): Promise<LogoutStep> {
    const { post_logout_redirect_uri: redirectUri, state } = parameters;
    if (state !== undefined) checkStateLength(state);
    const clientId = await this.#clientIdOf(parameters);
    if (clientId === null) {
      if (redirectUri === undefined) return unnamed;
      throw invalidParameter('client_id', violation('required_with_post_logout_redirect_uri'));
    }
    // Only the account of a user tells which metadata documents are known. None of them is read here.
    if (user === null && redirectUri === undefined && isMetadataDocumentUrl(clientId)) return unnamed;
    const client = await this.#services.clients.find(clientId);
    const applicationId = client && user && (await this.#applicationIdIn(user, client));
    if (client === null || (!isApplication(client) && applicationId === null))
      throw unknownApplication(parameters);
    const redirect = redirectUri === undefined ? null : await this.#redirectTo(client, redirectUri, state);
    return { applicationName: client.name, applicationId, redirect };
  }

  /** The `client_id` of the application that asks; `null` when the request does not name one. */
  async #clientIdOf({ id_token_hint, client_id }: LogoutParameters): Promise<string | null> {
    if (id_token_hint === undefined) return client_id ?? null;
    const hint = await this.#services.idTokens.readHint(id_token_hint);
    if (hint === null) throw invalidParameter('id_token_hint', violation('issued_id_token'));
    if (client_id !== undefined && client_id !== hint.clientId)
      throw invalidParameter('client_id', violation('audience_of_hint'));
    return hint.clientId;
  }

  async #applicationIdIn({ accountId }: User, client: Client): Promise<string | null> {
    if (isApplication(client) && client.accountId === accountId) return client.id;
    if (!client.shared) return null;
    const installation = await this.#services.installations.find(accountId, client);
    return installation?.id ?? null;
  }

  /** @throws {UnregisteredRedirectUriProblem} */
  async #redirectTo(client: Client, redirectUri: string, state: string | undefined): Promise<Redirect> {
    const redirectUris = await this.#services.clients.postLogoutRedirectUris(client);
    checkRedirectUri({ ...client, redirectUris }, redirectUri, 'post_logout_redirect_uri');
    const location = state === undefined ? redirectUri : withResponse(redirectUri, { state });
    return { location, host: parseUrl(redirectUri)?.host ?? redirectUri };
  }
}

/** 400 `invalid_request`: an unknown application and one that the account does not use look the same. */
function unknownApplication({ client_id }: LogoutParameters): Problem {
  const parameter = client_id === undefined ? 'id_token_hint' : 'client_id';
  return invalidParameter(parameter, violation('known_application'));
}
