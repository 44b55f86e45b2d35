import type { AccountId } from '../../platform/accounts/account-id.js';
import { type Clock, secondsAfter } from '../../platform/clock.js';
import { hashSecret, randomSecret } from '../../platform/crypto/keyring.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { accountScope, allAccounts, withScope } from '../../platform/database/scope.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import type { Problem } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';
import type { Application } from '../clients/client-registry.js';

/** Seconds in which a browser must open a pushed request. @see RFC 9126 section 2.2 */
export const pushedRequestSeconds = 60;

/** Seconds after that in which the user must sign in and decide. */
export const openedRequestSeconds = 1800;

const prefix = 'urn:ietf:params:oauth:request_uri:';

/** Parameters of an authorization request, as the client sent them. */
type PushedParameters = Readonly<Record<string, string>>;

/** A pushed request that is consumed with the decision of the user. */
export interface PushedRequest {
  /** SHA-256 of its `request_uri`. */
  readonly hash: Buffer<ArrayBuffer>;
  /** The account of the application that has pushed it, which need not be that of the user. */
  readonly accountId: AccountId;
}

/**
 * 400 `invalid_request` for a `request_uri` that cannot be used. The causes have the same text, so that the response reveals nothing
 * about the request of another browser or client.
 */
export function invalidRequestUri(): Problem {
  return invalidParameter('request_uri', violation('pushed_request'));
}

/** The authorization requests that clients have pushed. @see RFC 9126 */
export class PushedRequests {
  readonly #prisma: Database['prisma'];
  readonly #clock: Clock;

  constructor({ prisma }: Pick<Database, 'prisma'>, clock: Clock) {
    this.#prisma = prisma;
    this.#clock = clock;
  }

  /** Stores a request of an application. @returns its `request_uri`, which is not stored */
  async store({ id: applicationId, accountId }: Application, parameters: PushedParameters): Promise<string> {
    const requestUri = `${prefix}${randomSecret()}`;
    const createdAt = this.#clock();
    const data = {
      requestUriHash: hashSecret(requestUri),
      accountId,
      applicationId,
      parameters,
      createdAt,
      expiresAt: secondsAfter(createdAt, pushedRequestSeconds),
    };
    await withScope(accountScope(accountId), () => this.#prisma.pushedRequest.create({ data }));
    return requestUri;
  }

  /**
   * Reads a request in a browser, to which the first use binds it. It is one statement: of concurrent first uses in several browsers
   * exactly one succeeds. It reads all accounts, because the account is not known yet.
   *
   * @param browser secret of the browser
   * @returns `null` when the request is unknown, expired, consumed, of another client or of another browser
   */
  async open(clientId: string, requestUri: string, browser: string): Promise<PushedParameters | null> {
    if (!isRequestUri(requestUri)) return null;
    const now = this.#clock();
    const browserHash = hashSecret(browser);
    const [row] = await withScope(
      allAccounts,
      () => this.#prisma.$queryRaw<{ parameters: PushedParameters }[]>`
        UPDATE pushed_requests SET browser_hash = ${browserHash},
          expires_at = CASE WHEN browser_hash IS NULL
            THEN ${secondsAfter(now, openedRequestSeconds)}::timestamptz ELSE expires_at END
        WHERE request_uri_hash = ${hashSecret(requestUri)} AND parameters->>'client_id' = ${clientId}
          AND expires_at > ${now} AND (browser_hash IS NULL OR browser_hash = ${browserHash})
        RETURNING parameters`,
    );
    return row?.parameters ?? null;
  }

  /** Reads a request that this browser has opened; `null` in the same cases as {@link open}, and when no browser has opened it. */
  async find(clientId: string, requestUri: string, browser: string): Promise<PushedParameters | null> {
    if (!isRequestUri(requestUri)) return null;
    const where = {
      requestUriHash: hashSecret(requestUri),
      browserHash: hashSecret(browser),
      expiresAt: { gt: this.#clock() },
    };
    const row = await withScope(allAccounts, () => this.#prisma.pushedRequest.findUnique({ where }));
    const parameters = row?.parameters as PushedParameters | undefined;
    return parameters?.client_id === clientId ? parameters : null;
  }

  /** Consumes a request that the user has denied. @returns `false` when it was consumed before, or has expired */
  consume(request: PushedRequest): Promise<boolean> {
    return withScope(accountScope(request.accountId), () => consumeIn(this.#prisma, request, this.#clock()));
  }
}

/** Consumes a request in a transaction, or on its own. Of concurrent uses exactly one succeeds. */
export async function consumeIn(
  tx: Pick<Prisma.TransactionClient, 'pushedRequest'>,
  { hash, accountId }: PushedRequest,
  now: Date,
): Promise<boolean> {
  const where = { requestUriHash: hash, accountId, expiresAt: { gt: now } };
  const { count } = await tx.pushedRequest.deleteMany({ where });
  return count > 0;
}

function isRequestUri(text: string): boolean {
  return text.startsWith(prefix) && /^[\w-]{43}$/.test(text.slice(prefix.length));
}
