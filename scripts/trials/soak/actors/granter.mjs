import { get, postForm, refresh, revoke } from '../../client/requests.mjs';
import { UserActor } from './user-actor.mjs';

const copies = 3;

/** Lets a user allow an application, spends codes and refresh tokens several times at once, and revokes some. */
export class Granter extends UserActor {
  async step() {
    const application = this.random.chance(0.5) ? this.account.application : this.account.publicApplication;
    const exchange = postForm('/v1/oauth/token', await this.allow(application));
    let tokens = await this.#spend(exchange, 'a code');
    if (tokens === undefined) return;
    await this.#use(tokens);
    for (let left = 1 + this.random.upTo(4); left > 0 && !this.stopped(); left -= 1) {
      const request = refresh(application, tokens.refresh_token);
      const next = await this.#spend(request, 'a refresh token');
      if (next === undefined) return;
      const again = await this.fleet.send(request);
      if (again.status !== 401) this.wrong('a refresh token was spent twice', request, again);
      tokens = next;
      await this.#use(tokens);
    }
    if (this.random.chance(0.5)) await this.#revoke(application, tokens);
  }

  /** The tokens that the request was answered with; undefined where the answer was lost. */
  async #spend(request, what) {
    const { winner, certain } = await this.race(request, copies, what);
    if (winner !== undefined || certain) return winner;
    await this.settle();
    const late = await this.fleet.send(request);
    if (late.status === 200) return this.json(late);
    if (late.status !== 401) this.wrong(`${what}: an unexpected refusal`, request, late);
    return undefined;
  }

  async #use({ access_token: token }) {
    const answer = await this.expect(200, get('/v1/users/me', token), 'a good token was refused');
    const { id } = this.json(answer).data;
    if (id !== this.account.owner.id) this.verdict.fault('a token for another user', id);
  }

  async #revoke(application, { access_token: token, refresh_token: refreshToken }) {
    const answer = await this.insist(revoke(application, refreshToken));
    if (answer === undefined) return;
    if (answer.status !== 200) this.wrong('a revocation was refused', { path: 'revoke' }, answer);
    this.revoked.push(token);
    const kind = 'a token worked after its revocation was acknowledged';
    for (let index = 0; index < this.fleet.size; index += 1) {
      await this.expect(401, get('/v1/users/me', token), kind, index);
      await this.expect(401, refresh(application, refreshToken), kind, index);
    }
  }
}
