import { demoAccounts } from '../../dist/src/demo-data/accounts.js';
import { send } from './send.mjs';

/** What entries use: a server, access tokens of its applications, and the responses of other entries. */
export class World {
  document;
  database;
  start;
  masks;
  /** The server with default settings. */
  server;
  /** What the server's clock shows. */
  time;
  #entries;
  #made = new Map();

  constructor({ entries, ...parts }) {
    Object.assign(this, parts);
    this.#entries = entries;
    this.masks.replace(this.server.base, this.document.servers[0].url);
  }

  /** Sends a request to the server with default settings. */
  send(path, options) {
    return send(this.server.base, path, options);
  }

  /** Starts another server for the same address, with other settings or another clock. */
  startOther({ environment, at } = {}) {
    return this.start({ environment: { BASE_URL: this.server.base, ...environment }, at });
  }

  /** A server that does not count requests. */
  unlimited() {
    const environment = { RATE_LIMIT_API: '0', RATE_LIMIT_TOKEN: '0' };
    return this.once('unlimited server', () => this.startOther({ environment }));
  }

  /** The response of another entry, which is sent once. */
  recorded(name) {
    return this.once(`example ${name}`, () => this.#entries[name](this));
  }

  /** The value of an example. */
  example(name) {
    return this.document.components.examples[name].value;
  }

  /** Client identifier and secret of a demonstration application. */
  credentials(clientId) {
    const applications = demoAccounts.flatMap((account) => account.applications);
    const { clientSecret } = applications.find((application) => application.clientId === clientId);
    return { client_id: clientId, client_secret: clientSecret };
  }

  /** An access token of the client credentials grant, with every scope of the application by default. */
  token(clientId = 'demobackend', scope = undefined) {
    return this.once(`token ${clientId} ${scope}`, () => this.#issue(clientId, scope));
  }

  /** The result of some work, which is done once for each key. */
  once(key, work) {
    if (!this.#made.has(key)) this.#made.set(key, work());
    return this.#made.get(key);
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
