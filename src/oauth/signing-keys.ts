import { createPrivateKey, type KeyObject } from 'node:crypto';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import type { Clock } from '../clock.js';
import type { components } from '../contract/generated.js';
import { isStorableText } from '../contract/storable-text.js';
import { createBatcher } from '../database/batcher.js';
import type { AppSecrets } from '../services/keyring.js';
import type { SigningKeyStore, StoredSigningKey } from '../services/signing-key-store.js';
import { createKeySeal, openSealedKey } from './sealed-keys.js';
import type { Seal } from './sealing.js';

/** The signature algorithm of new keys. */
export const signingAlgorithm = 'ES256';

/** A public key as the contract describes it. */
export type PublishedKey = components['schemas']['JsonWebKeySet']['keys'][number];

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

interface KnownKeys {
  readonly current: SigningKey;
  readonly verification: ReadonlyMap<string, CryptoKey>;
  readonly published: readonly PublishedKey[];
}

/** How often a process looks whether another one has changed the keys. */
export const refreshIntervalMilliseconds = 30_000;

/**
 * The keys that sign access tokens. They are in the database, sealed, so that every process signs with the
 * same one; a process keeps them in memory and looks again when it meets a `kid` that it does not know.
 */
export class SigningKeys {
  readonly #store: SigningKeyStore;
  readonly #seal: Seal;
  readonly #clock: Clock;
  /** Anybody may name a key that does not exist: all who do at the same time are one question. */
  readonly #isStored: (kid: string) => Promise<boolean>;
  #known: KnownKeys;
  #loads = 0;
  /** The load that the known keys are from. */
  #lastLoad = 0;

  private constructor(store: SigningKeyStore, seal: Seal, clock: Clock, known: KnownKeys) {
    this.#store = store;
    this.#seal = seal;
    this.#clock = clock;
    this.#known = known;
    this.#isStored = createBatcher((kids) => this.#areStored(kids), { maximum: 200, atOnce: 1 });
  }

  /**
   * Loads the keys, and makes the first one where there is none.
   *
   * @throws {UnreadableSigningKeyError} when they were sealed with another secret
   */
  static async open(store: SigningKeyStore, appSecrets: AppSecrets, clock: Clock): Promise<SigningKeys> {
    const seal = createKeySeal(appSecrets);
    const known = (await loadKeys(store, seal, clock)) ?? (await createFirstKey(store, seal, clock));
    return new SigningKeys(store, seal, clock, known);
  }

  get current(): SigningKey {
    return this.#known.current;
  }

  /** Public keys of every token that may still be valid. @see RFC 7517 */
  get published(): readonly PublishedKey[] {
    return this.#known.published;
  }

  /** Key that checks the signatures made with `kid`, if there is one; another process may have just made it. */
  async find(kid: string): Promise<CryptoKey | undefined> {
    if (!this.has(kid) && isStorableText(kid) && (await this.#isStored(kid))) await this.reload();
    return this.#known.verification.get(kid);
  }

  has(kid: string): boolean {
    return this.#known.verification.has(kid);
  }

  async #areStored(kids: readonly string[]): Promise<boolean[]> {
    const stored = await this.#store.findStored(kids, this.#clock());
    return kids.map((kid) => stored.has(kid));
  }

  /**
   * Signs with a new key from now on. The old one is published until the last token that it signed has expired;
   * other processes may still sign with it until they look again.
   *
   * @param earlier `tokenTtlSeconds`: how long the old key has to be good for; `'discard'`: all earlier keys, and
   *   whatever they signed, are refused at once here, and elsewhere as soon as the other processes look again
   */
  async rotate(earlier: { tokenTtlSeconds: number } | 'discard'): Promise<string> {
    const key = await newKey(this.#seal, this.#clock);
    const now = this.#clock();
    await this.#store.rotate(key, {
      at: now,
      earlier: earlier === 'discard' ? earlier : { expiresAt: lastUse(now, earlier) },
    });
    await this.reload();
    return key.kid;
  }

  /** Takes over what other processes have changed. */
  async reload(): Promise<void> {
    this.#loads += 1;
    const load = this.#loads;
    const known = await loadKeys(this.#store, this.#seal, this.#clock);
    // One that began later has seen what is newer.
    if (known === undefined || load < this.#lastLoad) return;
    this.#lastLoad = load;
    this.#known = known;
  }
}

/** When the last token has expired that another process signs before it learns of the new key. */
function lastUse(now: Date, { tokenTtlSeconds }: { tokenTtlSeconds: number }): Date {
  return new Date(now.getTime() + tokenTtlSeconds * 1000 + 2 * refreshIntervalMilliseconds);
}

async function loadKeys(store: SigningKeyStore, seal: Seal, clock: Clock): Promise<KnownKeys | undefined> {
  const rows = await store.list(clock());
  const current = rows.find(({ retiredAt }) => retiredAt === null);
  if (current === undefined) return undefined;
  const published = rows.map(
    ({ kid, algorithm, publicKey }) =>
      ({ ...(publicKey as JWK), kid, alg: algorithm, use: 'sig' }) as PublishedKey,
  );
  return {
    current: { kid: current.kid, privateKey: await openPrivateKey(current, seal) },
    verification: new Map(
      await Promise.all(
        published.map(async (key) => [key.kid, (await importJWK(key, key.alg)) as CryptoKey] as const),
      ),
    ),
    published,
  };
}

async function openPrivateKey(sealed: { kid: string; privateKey: string }, seal: Seal): Promise<KeyObject> {
  const { plain } = await openSealedKey(sealed, seal);
  return createPrivateKey({ key: JSON.parse(plain), format: 'jwk' });
}

async function createFirstKey(store: SigningKeyStore, seal: Seal, clock: Clock): Promise<KnownKeys> {
  await store.insertFirst(await newKey(seal, clock));
  const known = await loadKeys(store, seal, clock);
  if (known === undefined) throw new Error('The signing key that was just stored could not be read back');
  return known;
}

/** A fresh key as it is stored; its id is the thumbprint of the public part (RFC 7638). */
async function newKey(seal: Seal, clock: Clock): Promise<StoredSigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  return {
    kid: await calculateJwkThumbprint(publicJwk),
    algorithm: signingAlgorithm,
    privateKey: await seal.seal(JSON.stringify(await exportJWK(privateKey))),
    publicKey: publicJwk as Record<string, string>,
    createdAt: clock(),
  };
}
