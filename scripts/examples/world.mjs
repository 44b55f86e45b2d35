import { demoAccounts } from '../../dist/src/features/demo-data/accounts.js';
import { send } from './send.mjs';

/** The context of entries: a server, access tokens of its applications, and the responses of other entries. */
export class World {
  document;
  database;
  start;
  masks;
  /** The server with default settings. */
  server;
  /** Time of the server's clock. */
  time;
  #entries;
  #results = new Map();

  constructor({ entries, ...parts }) {
    Object.assign(this, parts);
    this.#entries = entries;
    this.masks.replace(this.server.base, this.document.servers[0].url);
  }

  /** Sends a request to the server with default settings. */
  send(path, options) {
    return send(this.server.base, path, options);
  }

  /** Starts another server with the same base URL, and with other settings or another clock. */
  startOther({ environment, at } = {}) {
    return this.start({ environment: { BASE_URL: this.server.base, ...environment }, at });
  }

  /** A server without rate limits. */
  unlimited() {
    const environment = { RATE_LIMIT_API: '0', RATE_LIMIT_TOKEN: '0' };
    return this.once('unlimited server', () => this.startOther({ environment }));
  }

  /** The response of another entry, whose request is sent once. */
  recorded(name) {
    return this.once(`example ${name}`, () => this.#entries[name](this));
  }

  /** The value of an example. */
  example(name) {
    return this.document.components.examples[name].value;
  }

  /** Client identifier and secret of a demo application. */
  credentials(clientId) {
    const applications = demoAccounts.flatMap((account) => account.applications);
    const { clientSecret } = applications.find((application) => application.clientId === clientId);
    return { client_id: clientId, client_secret: clientSecret };
  }

  /** An access token of the client credentials grant; default scope: every scope of the application. */
  token(clientId = 'demobackend', scope = undefined) {
    return this.once(`token ${clientId} ${scope}`, () => this.#issue(clientId, scope));
  }

  /** The result of `work`, which is called once for each key. */
  once(key, work) {
    if (!this.#results.has(key)) this.#results.set(key, work());
    return this.#results.get(key);
  }

  async #issue(clientId, scope) {
    const form = {
      grant_type: 'client_credentials',
      ...this.credentials(clientId),
      ...(scope !== undefined && { scope }),
    };
    const { status, body } = await this.send('/v1/oauth/token', { form });
    if (status !== 200) throw new Error(`No token for ${clientId}: ${JSON.stringify(body)}`);
    return body.access_token;
  }
}
