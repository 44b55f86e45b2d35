import { setTimeout as delay } from 'node:timers/promises';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { ConcurrencyLimit } from '../limits/concurrency-limit.js';
import { networkOf, siteOf } from '../network/network-of-address.js';
import { retryLater } from '../problems/problem.js';
import { normalizePassword } from './normalize.js';

/** Cost of a hash: memory in KiB, passes over it and threads. */
export interface HashParameters {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** Argon2id with 19 MiB and two passes, as OWASP recommends. */
const recommended: HashParameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** UTF-16 code units. Longer passwords are rejected without hashing. */
export const maximumPasswordLength = 1024;

/**
 * Concurrent hashes of a process. They run in the thread pool of Node.js; two of its threads stay free for other work, such
 * as files and the decryption of secrets.
 *
 * @param threadPoolSize value of `UV_THREADPOOL_SIZE`, which Node.js reads
 */
export function concurrentHashes(threadPoolSize = '4'): number {
  return Math.max(1, Number.parseInt(threadPoolSize, 10) - 2 || 1);
}

/** Requests that wait for a slot. */
export const maximumWaitingHashes = 20;

/** Of the process, because its thread pool is. */
const slots = new ConcurrencyLimit(concurrentHashes(process.env.UV_THREADPOOL_SIZE));

/**
 * The parameter `keyid` of a stored hash, "nfc" in Base64. It records that the hash is of the normalized password; earlier
 * versions hashed the text that was typed. It is part of the stored string, so that no process can replace a hash and keep
 * the record of an earlier one. Argon2 does not compute with `keyid`: processes of an earlier version accept the string
 * during an update.
 */
const normalizedMark = ',keyid=bmZj';

/** The request that needs a hash. */
interface HashRequest {
  /** Network address of the client. Networks take turns. */
  readonly address: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Whether a password matches. */
interface PasswordCheck {
  readonly matches: boolean;
  /** What to store instead of the hash, because of other parameters or normalization; `null`: nothing. */
  readonly replacement: string | null;
}

/** Options with which tests count, hold and shorten computations, and set the limits of the queue. */
interface PasswordsOptions {
  /** Default: {@link recommended}. */
  readonly parameters?: HashParameters;
  readonly argon2?: Pick<typeof import('@node-rs/argon2'), 'hash' | 'verify'>;
  /** Milliseconds for which a request waits for a slot. Default: 2,000. */
  readonly waitMs?: number;
  /** Requests that wait for a slot. Default: {@link maximumWaitingHashes}. */
  readonly maxWaiting?: number;
  /** Waits for the time of a hash that is not computed. */
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

/** Hashes and compares passwords for requests, with a limited number of concurrent computations and a bounded queue. */
export class Passwords {
  readonly #parameters: HashParameters;
  /** No password has this hash. It is compared when there is none. */
  readonly #absentHash: string;
  readonly #argon2: Required<PasswordsOptions>['argon2'];
  readonly #limits: { readonly waitMs: number; readonly maxWaiting: number };
  readonly #wait: (milliseconds: number) => Promise<unknown>;

  constructor({
    parameters = recommended,
    argon2 = { hash, verify },
    waitMs = 2_000,
    maxWaiting = maximumWaitingHashes,
    wait = delay,
  }: PasswordsOptions = {}) {
    const { memoryCost, timeCost, parallelism } = parameters;
    this.#parameters = parameters;
    this.#absentHash = recordNormalized(
      `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`,
    );
    this.#argon2 = argon2;
    this.#limits = { waitMs, maxWaiting };
    this.#wait = wait;
  }

  /**
   * Hashes a password with Argon2id.
   *
   * @throws {Problem} 503 `service_unavailable` when the queue is full, or no slot becomes free in time
   * @throws the reason of the signal when it aborts in the queue
   */
  hash(password: string, request: HashRequest): Promise<string> {
    return this.#inSlot(request, () => this.#compute(password));
  }

  /**
   * Compares a password with a stored hash. One hash is computed, unless the normalized form differs from the typed one and
   * the stored hash does not record its form.
   *
   * Constant-time failure: without a stored hash it also computes one, so that the time does not reveal which e-mail
   * addresses exist. Where a second one could have been necessary, it waits as long as the first one took.
   *
   * @throws {Problem} 503 `service_unavailable` when the queue is full, or no slot becomes free in time
   * @throws the reason of the signal when it aborts in the queue
   */
  async check(stored: string | null, password: string, request: HashRequest): Promise<PasswordCheck> {
    const normalized = normalizePassword(password);
    const hashed = stored ?? this.#absentHash;
    const forms = [...new Set([normalized, password])].filter(
      ({ length }) => length <= maximumPasswordLength,
    );
    const compared = hashed.includes(normalizedMark) ? forms.filter((form) => form === normalized) : forms;
    let since = 0;
    const outcome = await this.#inSlot(request, async (): Promise<PasswordCheck> => {
      since = performance.now();
      for (const form of compared) {
        if ((await this.#argon2.verify(hashed, form)) && stored !== null) {
          return { matches: true, replacement: await this.#replacement(stored, form, normalized) };
        }
      }
      return { matches: false, replacement: null };
    });
    if (!outcome.matches && compared.length < forms.length) await this.#wait(performance.now() - since);
    return outcome;
  }

  async #replacement(stored: string, matching: string, normalized: string): Promise<string | null> {
    if (matching !== normalized || this.#hasOtherParameters(stored)) return this.#compute(normalized);
    return stored.includes(normalizedMark) ? null : recordNormalized(stored);
  }

  #hasOtherParameters(stored: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(stored);
    const wanted = this.#parameters;
    return (
      memoryCost !== wanted.memoryCost || timeCost !== wanted.timeCost || parallelism !== wanted.parallelism
    );
  }

  #compute(password: string): Promise<string> {
    return computeHash(password, this.#argon2, this.#parameters);
  }

  #inSlot<Result>({ address, signal }: HashRequest, compute: () => Promise<Result>): Promise<Result> {
    const origin = siteOf(address) ?? networkOf(address);
    const rejection = () => retryLater('service_unavailable', 'The service is overloaded.', 2);
    return slots.run('', { ...this.#limits, signal, origin, rejection }, compute);
  }
}

/** Hashes a password for the operator or for the demo data. It waits for a slot as long as necessary. */
export function hashPassword(password: string): Promise<string> {
  return slots.run('', {}, () => computeHash(password));
}

async function computeHash(
  password: string,
  argon2: Pick<Required<PasswordsOptions>['argon2'], 'hash'> = { hash },
  parameters = recommended,
) {
  return recordNormalized(await argon2.hash(normalizePassword(password), parameters));
}

/** Adds {@link normalizedMark} to the parameters of a hash, which are before the salt. */
function recordNormalized(hashed: string): string {
  return hashed.replace(/(?=\$[^$]*\$[^$]*$)/, normalizedMark);
}
