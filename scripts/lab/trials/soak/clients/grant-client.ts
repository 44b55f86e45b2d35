import { type HttpRequest, jsonOf } from '../../../kit/http/client.js';
import { get, postForm, refresh, revoke } from '../../../kit/http/requests.js';
import type { Application } from '../../accounts.js';
import { type Tokens, UserClient } from './user-client.js';

const copies = 3;

/** Grants access, consumes codes and refresh tokens several times at once, and revokes some tokens. */
export class GrantClient extends UserClient {
  protected async step(): Promise<void> {
    const { account, random } = this;
    const application = random.chance(0.5) ? account.application : account.publicApplication;
    const exchange = postForm('/v1/oauth/token', await this.allow(application));
    let tokens = await this.#consume(exchange, 'a code');
    if (tokens === undefined) return;
    await this.#use(tokens);
    for (let left = 1 + random.upTo(4); left > 0 && !this.stopped(); left -= 1) {
      const request = refresh(application, tokens.refresh_token);
      const next = await this.#consume(request, 'a refresh token');
      if (next === undefined) return;
      await this.expect(401, request, 'a refresh token was consumed twice');
      tokens = next;
      await this.#use(tokens);
    }
    if (random.chance(0.5)) await this.#revoke(application, tokens);
  }

  /** @returns undefined where the response with the tokens was lost */
  async #consume(request: HttpRequest, what: string): Promise<Tokens | undefined> {
    const { tokens, isCertain } = await this.race(request, copies, what);
    if (tokens !== undefined || isCertain) return tokens;
    await this.settle();
    const late = await this.fleet.send(request);
    if (late.status === 200) return jsonOf(late);
    if (late.status !== 401) this.fail(`${what}: an unexpected error`, request, late);
    return undefined;
  }

  async #use({ access_token: token }: Tokens): Promise<void> {
    const response = await this.expect(200, get('/v1/users/me', token), 'a valid token was rejected');
    this.compare('a token for another user', jsonOf(response).data.id, this.account.owner.id);
  }

  async #revoke(
    application: Application,
    { access_token: token, refresh_token: refreshToken }: Tokens,
  ): Promise<void> {
    const request = revoke(application, refreshToken);
    const response = await this.retry(request);
    if (response === undefined) return;
    if (response.status !== 200) this.fail('a revocation was rejected', request, response);
    this.revoked.push(token);
    const violation = 'a token was accepted after its revocation was acknowledged';
    for (let index = 0; index < this.fleet.size; index += 1) {
      await this.expect(401, get('/v1/users/me', token), violation, index);
      await this.expect(401, refresh(application, refreshToken), violation, index);
    }
  }
}
