import { Browser } from '../../../kit/http/browser.js';
import { type HttpRequest, jsonOf } from '../../../kit/http/client.js';
import { type Application, allScopes } from '../../accounts.js';
import { CheckingClient } from './checking-client.js';

/** The body of a token response. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** A client with a user who is signed in and grants access to applications. */
export abstract class UserClient extends CheckingClient {
  #browser: Browser | undefined;

  /** @returns the form that exchanges a new code */
  protected async allow(application: Application): Promise<Record<string, string>> {
    if (this.#browser === undefined) {
      const browser = new Browser((request) => this.fleet.send(request));
      await browser.signIn(this.account.owner);
      this.#browser = browser;
    }
    const { form, response } = await this.#browser.allow(application, allScopes);
    return form ?? this.fail('a user could not grant access', { path: 'authorize' }, response);
  }

  /**
   * Sends the same request several times at once, to random processes. At most one may succeed.
   *
   * @returns tokens: of the response that succeeded; isCertain: whether every request had a response
   */
  protected async race(
    request: HttpRequest,
    copies: number,
    what: string,
  ): Promise<{ tokens: Tokens | undefined; isCertain: boolean }> {
    const attempts = await Promise.all(Array.from({ length: copies }, () => this.attempt(request)));
    const responses = attempts.filter((response) => response !== undefined);
    const successes = responses.filter(({ status }) => status === 200);
    for (const response of responses) {
      if (response.status === 200) continue;
      const isRejected = response.status === 401 && jsonOf(response).code === 'invalid_grant';
      if (!isRejected) this.verdict.violation(`${what}: an unexpected error`, response.body.toString());
    }
    if (successes.length > 1) this.verdict.violation(`${what} was consumed ${successes.length} times`);
    const isCertain = responses.length === copies;
    if (isCertain && successes.length === 0) {
      this.verdict.violation(`${what}: all of several concurrent uses failed`, responses[0]?.body);
    }
    return { tokens: successes.length === 0 ? undefined : jsonOf(successes[0]), isCertain };
  }
}
