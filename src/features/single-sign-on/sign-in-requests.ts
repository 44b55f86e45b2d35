import { createHmac } from 'node:crypto';
import { type AccountId, toAccountId } from '../../platform/accounts/account-id.js';
import { type Clock, secondsAfter } from '../../platform/clock.js';
import { hashSecret, randomSecret } from '../../platform/crypto/keyring.js';
import type { Database } from '../../platform/database/client.js';
import { accountScope, allAccounts, withScope } from '../../platform/database/scope.js';
import type { Expected, Provider } from './provider-client.js';

/** Time in which the user must return from the identity provider. */
export const signInRequestSeconds = 600;

/** A pending request to the identity provider. */
export interface SignInRequest {
  readonly accountId: AccountId;
  readonly issuer: string;
  readonly clientId: string;
  readonly expected: Expected;
  readonly returnTo: string;
  /** The form of an expired session, as text. */
  readonly keptForm: string | null;
  /** Hash of the id of the session that is confirmed, or has started the test; `null` when the user signs in. */
  readonly sessionHash: Uint8Array<ArrayBuffer> | null;
  /** Whether an administrator tests the identity provider, and nothing is changed. */
  readonly test: boolean;
  readonly createdAt: Date;
}

/**
 * Sign-ins in progress. They are stored on the server, because a request must be consumed once, and the URL of an
 * authorization request can exceed the size of a cookie.
 */
export class SignInRequests {
  readonly #prisma: Database['prisma'];
  readonly #clock: Clock;

  constructor({ prisma }: Pick<Database, 'prisma'>, clock: Clock) {
    this.#prisma = prisma;
    this.#clock = clock;
  }

  /**
   * Stores a request with new random values.
   *
   * @param browser secret of the browser, which must bring the response back
   */
  async create(
    { accountId, issuer, clientId }: Pick<Provider, 'accountId' | 'issuer' | 'clientId'>,
    browser: string,
    request: Pick<SignInRequest, 'returnTo' | 'keptForm' | 'sessionHash' | 'test'>,
  ): Promise<Expected> {
    const state = randomSecret();
    const createdAt = this.#clock();
    const expiresAt = secondsAfter(createdAt, signInRequestSeconds);
    await withScope(accountScope(accountId), () =>
      this.#prisma.signInRequest.createMany({
        data: [
          {
            stateHash: hashSecret(state),
            browserHash: hashSecret(browser),
            ...{ accountId, issuer, clientId, createdAt, expiresAt },
            ...request,
          },
        ],
      }),
    );
    return expectedIn(browser, state);
  }

  /**
   * Consumes a request. Of concurrent calls, one succeeds. A request of another browser is not consumed, because
   * another site may have sent the browser to this address.
   *
   * @returns `null` when it is unknown, consumed or expired, or another browser started it
   */
  async consume(state: string, browser: string): Promise<SignInRequest | null> {
    const [row] = await withScope(
      allAccounts,
      () => this.#prisma.$queryRaw<StoredRequest[]>`
        DELETE FROM sign_in_requests WHERE state_hash = ${hashSecret(state)} AND browser_hash = ${hashSecret(browser)}
        RETURNING account_id AS "accountId", issuer, client_id AS "clientId", return_to AS "returnTo", kept_form AS "keptForm", session_hash AS "sessionHash",
          test, created_at AS "createdAt", expires_at AS "expiresAt"`,
    );
    if (row === undefined || row.expiresAt <= this.#clock()) return null;
    const { accountId, expiresAt: _, ...request } = row;
    return { ...request, accountId: toAccountId(accountId), expected: expectedIn(browser, state) };
  }
}

type StoredRequest = Omit<SignInRequest, 'accountId' | 'expected'> & {
  readonly accountId: string;
  readonly expiresAt: Date;
};

/**
 * Nonce and code verifier of a request. They are derived from the secret of the browser, so that the content of the database
 * is not sufficient to use a response.
 */
function expectedIn(browser: string, state: string): Expected {
  const derive = (purpose: string) =>
    createHmac('sha256', browser).update(`${purpose} ${state}`).digest('base64url');
  return { state, nonce: derive('nonce'), codeVerifier: derive('code verifier') };
}
