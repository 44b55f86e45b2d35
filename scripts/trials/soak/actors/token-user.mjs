import { clientCredentials, get, revoke } from '../../client/requests.mjs';
import { Actor } from './actor.mjs';

/** Gets tokens, uses them, ends them, and tries those that were ended before. */
export class TokenUser extends Actor {
  async step() {
    const { application } = this.account;
    const request = clientCredentials(application);
    const issued = this.json(await this.expect(200, request, 'client credentials were refused'));
    const token = issued.access_token;
    await this.expect(200, get('/v1/employees?page[size]=1', token), 'a good token was refused');
    const answer = await this.insist(revoke(application, token));
    if (answer === undefined) return;
    if (answer.status !== 200) this.wrong('a revocation was refused', { path: 'revoke' }, answer);
    this.revoked.push(token);
    for (let index = 0; index < this.fleet.size; index += 1) await this.#refused(token, index);
    await this.#refused(this.random.pick(this.revoked));
  }

  async #refused(token, index) {
    const request = get('/v1/employees?page[size]=1', token);
    await this.expect(401, request, 'a token worked after its revocation was acknowledged', index);
  }
}
