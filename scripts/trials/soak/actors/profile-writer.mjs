import { get, postForm, sendJson } from '../../client/requests.mjs';
import { UserActor } from './user-actor.mjs';

const path = '/v1/users/me';

/** The only one who writes a user's profile: it knows what the profile says. */
export class ProfileWriter extends UserActor {
  /** What the nickname may be; more than one value while nobody knows. */
  possible = [null];
  acknowledged = 0;
  #token;
  #serial = 0;

  async step() {
    if (this.#token === undefined) {
      const form = await this.allow(this.account.application);
      const answer = await this.expect(200, postForm('/v1/oauth/token', form), 'a code was refused');
      this.#token = this.json(answer).access_token;
    }
    await (this.random.chance(0.6) ? this.#write() : this.#read());
  }

  async #write() {
    this.#serial += 1;
    const nickname = `nick ${this.#serial}`;
    const request = sendJson('PATCH', path, this.#token, { nickname });
    const answer = await this.attempt(request);
    if (answer?.status === 200) {
      this.possible = [nickname];
      this.acknowledged += 1;
      return;
    }
    if (answer !== undefined) this.wrong('a profile was not changed', request, answer);
    this.possible.push(nickname);
    await this.settle();
    if (!this.stopped()) await this.#read();
  }

  async #read() {
    const answer = await this.expect(200, get(path, this.#token), 'a profile was refused');
    const { nickname } = this.json(answer).data.attributes;
    if (!this.possible.includes(nickname)) {
      this.verdict.fault('a profile does not say what was acknowledged', `${nickname}, not ${this.possible}`);
    }
    this.possible = [nickname];
  }
}
