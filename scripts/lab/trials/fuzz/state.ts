import type { Random } from '../../../../test/support/input/random.js';
import { type HttpResponse, jsonOf } from '../../kit/http/client.js';
import type { Account } from '../accounts.js';

const maximumTokens = 200;
const maximumCursors = 500;

/** Authorization headers by their kind. */
export type Bearers = Readonly<
  Record<'valid' | 'readOnly' | 'foreign' | 'bad', readonly Readonly<Record<string, string>>[]>
>;

/** The initial state of the fuzz test. */
interface Known {
  readonly account: Account;
  readonly employeeIds: readonly string[];
  readonly eventIds: readonly string[];
  readonly bearers: Bearers;
  readonly codeChallenge: string;
}

/** Values that the server issued, for later requests. */
export class State {
  readonly known: Known;
  /** Ids of reports that were created, and of those that were deleted again. */
  readonly created = new Set<string>();
  readonly deleted = new Set<string>();
  profileChanges = 0;
  /** Operations that had a response below 400. */
  readonly succeeded = new Set<string>();
  readonly #endpoints: string[] = [];
  readonly #tokens: string[] = [];
  readonly #cursors: string[] = [];

  constructor(known: Known) {
    this.known = known;
  }

  idFor(name: string, random: Random): string {
    const { employeeIds, eventIds } = this.known;
    const ids =
      {
        report_id: [...this.created].slice(-20),
        webhook_endpoint_id: this.#endpoints.slice(-20),
        event_id: eventIds,
      }[name] ?? employeeIds;
    return ids.length === 0 || random.chance(0.2) ? random.text(26) : random.pick(ids);
  }

  parameterFor(operation: string, name: string, random: Random): string | undefined {
    if (name === 'page[after]' && this.#cursors.length > 0 && random.chance(0.7))
      return random.pick(this.#cursors);
    if (operation !== 'authorize' || random.chance(0.1)) return undefined;
    const { account, codeChallenge } = this.known;
    const { clientId, redirectUri } = account.application;
    const parameters: Record<string, string> = {
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: 'reports:read',
      code_challenge: codeChallenge,
    };
    return parameters[name];
  }

  /** The body of a request, with values that only the server and this trial know. */
  bodyFor(operation: string, body: unknown, random: Random): unknown {
    if (random.chance(0.1)) return body;
    if (operation === 'createWebhookEndpointResumption') return { after: random.pick(this.known.eventIds) };
    const isEndpoint = operation === 'createWebhookEndpoint' || operation === 'updateWebhookEndpoint';
    // Nothing listens on port 1.
    return isEndpoint ? { ...(body as object), url: `http://localhost:1/${random.text(5)}` } : body;
  }

  headerFor(name: string, random: Random): string {
    if (name.toLowerCase() === 'idempotency-key') return `key ${random.upTo(200)}`;
    return random.pick(['*', '"1"', '"2"', '"7"', 'W/"1"', '"1", "2"']);
  }

  /** A token that requests may consume. */
  takeToken(random: Random): string | undefined {
    return this.#tokens.length === 0 ? undefined : random.pick(this.#tokens);
  }

  keepToken(token: string): void {
    this.#tokens.push(token);
  }

  /** Reads the response to a request for an operation. */
  learn(operation: string, response: HttpResponse): void {
    const { status, body } = response;
    if (status < 400) this.succeeded.add(operation);
    if (status >= 300) return;
    if (operation === 'createReport' && status === 201) this.created.add(jsonOf(response).data.id);
    if (operation === 'createWebhookEndpoint') this.#endpoints.push(jsonOf(response).data.id);
    if (operation === 'createToken') this.#keepTokens(jsonOf(response));
    if (operation === 'updateCurrentUser') this.profileChanges += 1;
    const cursor = /page%5Bafter%5D=([\w-]+)/.exec(body.toString('utf8'))?.[1];
    if (cursor !== undefined && this.#cursors.length < maximumCursors) this.#cursors.push(cursor);
  }

  #keepTokens({ access_token: accessToken, refresh_token: refreshToken }: Record<string, string>): void {
    if (this.#tokens.length < maximumTokens) this.#tokens.push(accessToken);
    if (refreshToken !== undefined) this.#tokens.push(refreshToken);
  }
}
