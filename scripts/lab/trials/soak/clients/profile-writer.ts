import { jsonOf } from '../../../kit/http/client.js';
import { get, postForm, sendJson } from '../../../kit/http/requests.js';
import { UserClient } from './user-client.js';

const path = '/v1/users/me';

/** The only writer of a profile. */
export class ProfileWriter extends UserClient {
  /** Possible nicknames; several after a request with an unknown outcome. */
  possible: (string | null)[] = [null];
  acknowledged = 0;
  #token: string | undefined;
  #serial = 0;

  protected async step(): Promise<void> {
    if (this.#token === undefined) {
      const form = await this.allow(this.account.application);
      const response = await this.expect(200, postForm('/v1/oauth/token', form), 'a code was rejected');
      this.#token = jsonOf(response).access_token as string;
    }
    await (this.random.chance(0.6) ? this.#write(this.#token) : this.#read(this.#token));
  }

  async #write(token: string): Promise<void> {
    this.#serial += 1;
    const nickname = `nick ${this.#serial}`;
    const request = sendJson('PATCH', path, token, { nickname });
    const response = await this.attempt(request);
    if (response?.status === 200) {
      this.possible = [nickname];
      this.acknowledged += 1;
      return;
    }
    if (response !== undefined) this.fail('a profile was not changed', request, response);
    this.possible.push(nickname);
    await this.settle();
    if (!this.stopped()) await this.#read(token);
  }

  async #read(token: string): Promise<void> {
    const response = await this.expect(200, get(path, token), 'a profile was not returned');
    const { nickname } = jsonOf(response).data.attributes;
    if (!this.possible.includes(nickname)) {
      this.verdict.violation(
        'a profile differs from what was acknowledged',
        `${nickname}, not ${this.possible}`,
      );
    }
    this.possible = [nickname];
  }
}
