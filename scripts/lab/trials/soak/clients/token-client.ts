import { jsonOf } from '../../../kit/http/client.js';
import { clientCredentials, get, revoke } from '../../../kit/http/requests.js';
import { CheckingClient } from './checking-client.js';

const path = '/v1/employees?page[size]=1';

/** Requests tokens, uses them, revokes them, and tries revoked ones again. */
export class TokenClient extends CheckingClient {
  protected async step(): Promise<void> {
    const { application } = this.account;
    const request = clientCredentials(application);
    const issued = await this.expect(200, request, 'client credentials were rejected');
    const token: string = jsonOf(issued).access_token;
    await this.expect(200, get(path, token), 'a valid token was rejected');
    const revocation = revoke(application, token);
    const response = await this.retry(revocation);
    if (response === undefined) return;
    if (response.status !== 200) this.fail('a revocation was rejected', revocation, response);
    this.revoked.push(token);
    for (let index = 0; index < this.fleet.size; index += 1) await this.#expectRejected(token, index);
    await this.#expectRejected(this.random.pick(this.revoked));
  }

  async #expectRejected(token: string, index?: number): Promise<void> {
    const violation = 'a token was accepted after its revocation was acknowledged';
    await this.expect(401, get(path, token), violation, index);
  }
}
