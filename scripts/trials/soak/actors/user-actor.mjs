import { Browser } from '../../client/browser.mjs';
import { allScopes } from '../../world/world.mjs';
import { Actor } from './actor.mjs';

/** An actor with a user who is signed in and allows applications what they ask for. */
export class UserActor extends Actor {
  #browser;

  /** The form that trades a new code. */
  async allow(application) {
    if (this.#browser === undefined) {
      const browser = new Browser((request) => this.fleet.send(request));
      await browser.signIn(this.account.owner);
      this.#browser = browser;
    }
    const { form, answer } = await this.#browser.allow(application, allScopes);
    if (form === undefined) this.wrong('a user could not allow', { path: 'authorize' }, answer);
    return form;
  }

  /**
   * Sends the same request several times at once, to any of the processes.
   *
   * @returns {Promise<{ winner: object | undefined, certain: boolean }>} winner: what the one that succeeded was
   *   answered; certain: every one of them was answered
   */
  async race(request, copies, what) {
    const answers = await Promise.all(Array.from({ length: copies }, () => this.attempt(request)));
    const known = answers.filter((answer) => answer !== undefined);
    const good = known.filter(({ status }) => status === 200);
    for (const answer of known) {
      if (answer.status === 200) continue;
      const refused = answer.status === 401 && this.json(answer).code === 'invalid_grant';
      if (!refused) this.verdict.fault(`${what}: an unexpected refusal`, answer.body.toString('utf8'));
    }
    if (good.length > 1) this.verdict.fault(`${what} was spent ${good.length} times`);
    const certain = known.length === copies;
    if (certain && good.length === 0) {
      this.verdict.fault(`${what}: none of several uses at once succeeded`, known[0]?.body.toString('utf8'));
    }
    return { winner: good.length === 0 ? undefined : this.json(good[0]), certain };
  }
}
