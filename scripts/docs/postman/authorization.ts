import { type Contract, type Operation, operationOf } from '../../../src/platform/contract/contract.js';
import { rawOperation } from '../reference/nodes.js';

/** How Postman authorizes a request. */
export interface Authorization {
  readonly type: 'oauth2' | 'noauth';
  readonly oauth2?: readonly { readonly key: string; readonly value: string; readonly type: 'string' }[];
}

/** The authorization of requests. */
export class Authorizations {
  readonly #contract: Contract;
  /** Client credentials, with every scope that the application is configured with. */
  readonly ofClient: Authorization;

  constructor(contract: Contract) {
    this.#contract = contract;
    this.ofClient = oauth2({ ...this.#shared(), grant_type: 'client_credentials' });
  }

  /** Authorization of an operation; `undefined` if it is the one of the collection. */
  of(operation: Operation): Authorization | undefined {
    if (operation.scopes === null) return { type: 'noauth' };
    if (!needsUser(this.#contract, operation)) return undefined;
    return oauth2({
      ...this.#shared(),
      grant_type: 'authorization_code_with_pkce',
      authUrl: this.#address('authorize'),
      redirect_uri: '{{redirect_uri}}',
      challengeAlgorithm: 'S256',
      scope: operation.scopes.join(' '),
    });
  }

  #shared(): Record<string, string> {
    return {
      accessTokenUrl: this.#address('createToken'),
      clientId: '{{client_id}}',
      clientSecret: '{{client_secret}}',
      client_authentication: 'body',
      addTokenTo: 'header',
      // Of the request that creates a token. A token that Postman requests replaces it.
      accessToken: '{{access_token}}',
    };
  }

  #address(id: 'authorize' | 'createToken'): string {
    return `{{base_url}}${operationOf(this.#contract, id).path}`;
  }
}

/** Whether the operation rejects tokens without a user. */
export function needsUser(contract: Contract, operation: Operation): boolean {
  return rawOperation(contract, operation)['x-user-required'] === true;
}

function oauth2(values: Readonly<Record<string, string>>): Authorization {
  return {
    type: 'oauth2',
    oauth2: Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' as const })),
  };
}
