import { jsonOf } from '../../../kit/http/client.js';
import { clientCredentials } from '../../../kit/http/requests.js';
import { allScopes } from '../../accounts.js';
import { CheckingClient } from './checking-client.js';

/** A client with a token of its application. */
export abstract class ApplicationClient extends CheckingClient {
  #token: string | undefined;

  protected async token(): Promise<string> {
    if (this.#token === undefined) {
      const request = clientCredentials(this.account.application, allScopes);
      const response = await this.expect(200, request, 'client credentials were rejected');
      this.#token = jsonOf(response).access_token as string;
    }
    return this.#token;
  }
}
