import { clientCredentials } from '../../client/requests.mjs';
import { allScopes } from '../../world/world.mjs';
import { Actor } from './actor.mjs';

/** An actor that calls with a token of its application. */
export class ApplicationActor extends Actor {
  #token;

  async token() {
    if (this.#token === undefined) {
      const request = clientCredentials(this.account.application, allScopes);
      this.#token = this.json(
        await this.expect(200, request, 'client credentials were refused'),
      ).access_token;
    }
    return this.#token;
  }
}
