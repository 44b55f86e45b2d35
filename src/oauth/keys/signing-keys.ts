import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Clock } from '../../platform/clock.js';
import type { components } from '../../platform/contract/generated.js';
import { isStorableText } from '../../platform/contract/outside-text.js';
import { type AppSecrets, createSeal, openStored, type Seal } from '../../platform/crypto/keyring.js';
import { resealTable } from '../../platform/crypto/reseal-table.js';
import { createBatcher } from '../../platform/database/batcher.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import {
  findStoredKeys,
  insertFirstKey,
  insertNewKey,
  listKeys,
  type StoredSigningKey,
} from './signing-key-store.js';

/** Separates the encryption of private signing keys from that of other secrets. */
const sealPurpose = 'signing-keys';

/** The signature algorithm of new keys. */
export const signingAlgorithm = 'ES256';

/** A public key as the contract describes it. */
type PublishedKey = components['schemas']['JsonWebKeySet']['keys'][number];

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

interface KnownKeys {
  readonly current: SigningKey;
  readonly verification: ReadonlyMap<string, KeyObject>;
  readonly published: readonly PublishedKey[];
}

/** How often a process reloads the keys from the database. */
export const refreshIntervalMilliseconds = 30_000;

/**
 * The keys that sign access tokens. They are encrypted in the database, so that every process signs with the same key.
 * A process caches them and reloads them when a token has an unknown `kid`.
 */
export class SigningKeys {
  readonly #database: Database;
  readonly #seal: Seal;
  readonly #clock: Clock;
  /** Concurrent tokens with unknown keys share one query, because anyone can send such tokens. */
  readonly #isStored: (kid: string) => Promise<boolean>;
  #known: KnownKeys;
  #loads = 0;
  /** Sequence number of the load that read the cached keys. */
  #lastLoad = 0;

  private constructor(database: Database, seal: Seal, clock: Clock, known: KnownKeys) {
    this.#database = database;
    this.#seal = seal;
    this.#clock = clock;
    this.#known = known;
    this.#isStored = createBatcher((kids) => this.#areStored(kids), { maxBatchSize: 200, concurrency: 1 });
  }

  /**
   * Loads the keys, and creates the first one.
   *
   * @throws {UnreadableSecretError} when they were encrypted with another secret
   */
  static async open(database: Database, appSecrets: AppSecrets, clock: Clock): Promise<SigningKeys> {
    const seal = createSeal(appSecrets, sealPurpose);
    const known = (await loadKeys(database, seal, clock)) ?? (await createFirstKey(database, seal, clock));
    return new SigningKeys(database, seal, clock, known);
  }

  get current(): SigningKey {
    return this.#known.current;
  }

  /** Public keys of all tokens that may still be valid. @see RFC 7517 section 5 */
  get published(): readonly PublishedKey[] {
    return this.#known.published;
  }

  /** Public key with this `kid`. Reloads the keys when it is unknown, because another process may have created it. */
  async find(kid: string): Promise<KeyObject | undefined> {
    if (!this.has(kid) && isStorableText(kid) && (await this.#isStored(kid))) await this.reload();
    return this.#known.verification.get(kid);
  }

  has(kid: string): boolean {
    return this.#known.verification.has(kid);
  }

  async #areStored(kids: readonly string[]): Promise<boolean[]> {
    const stored = await findStoredKeys(this.#database, kids, this.#clock());
    return kids.map((kid) => stored.has(kid));
  }

  /**
   * Creates a new key and signs with it. The old key is published until the last token that it signed has expired.
   * Other processes sign with it until they reload the keys.
   *
   * @param earlier `tokenTtlSeconds`: how long the old key stays valid; `'discard'`: all earlier keys and their tokens are
   *   rejected, by this process immediately and by other processes after they reload the keys
   */
  async rotate(earlier: { tokenTtlSeconds: number } | 'discard'): Promise<string> {
    const key = await newKey(this.#seal, this.#clock);
    const now = this.#clock();
    await insertNewKey(this.#database, key, {
      at: now,
      earlier: earlier === 'discard' ? earlier : { expiresAt: lastUse(now, earlier) },
    });
    await this.reload();
    return key.kid;
  }

  async reload(): Promise<void> {
    this.#loads += 1;
    const load = this.#loads;
    const known = await loadKeys(this.#database, this.#seal, this.#clock);
    // A load that started later has newer keys.
    if (known === undefined || load < this.#lastLoad) return;
    this.#lastLoad = load;
    this.#known = known;
  }
}

/** When the last token expires that another process signs before it reloads the keys. */
function lastUse(now: Date, { tokenTtlSeconds }: { tokenTtlSeconds: number }): Date {
  return new Date(now.getTime() + tokenTtlSeconds * 1000 + 2 * refreshIntervalMilliseconds);
}

async function loadKeys(database: Database, seal: Seal, clock: Clock): Promise<KnownKeys | undefined> {
  const rows = await listKeys(database, clock());
  const current = rows.find(({ retiredAt }) => retiredAt === null);
  if (current === undefined) return undefined;
  const published = rows.map(
    ({ kid, algorithm, publicKey }) =>
      ({ ...(publicKey as JWK), kid, alg: algorithm, use: 'sig' }) as PublishedKey,
  );
  return {
    current: { kid: current.kid, privateKey: await openPrivateKey(current, seal) },
    verification: new Map(published.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })])),
    published,
  };
}

async function openPrivateKey(
  { kid, privateKey }: { kid: string; privateKey: string },
  seal: Seal,
): Promise<KeyObject> {
  const { plain } = await openStored(seal, privateKey, errorName(kid));
  return createPrivateKey({ key: JSON.parse(plain), format: 'jwk' });
}

async function createFirstKey(database: Database, seal: Seal, clock: Clock): Promise<KnownKeys> {
  await insertFirstKey(database, await newKey(seal, clock));
  const known = await loadKeys(database, seal, clock);
  if (known === undefined) throw new Error('The signing key that was just stored could not be read back');
  return known;
}

/** A new key for the database; its id is the thumbprint of the public key (RFC 7638). */
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

/**
 * Re-encrypts with the current secret all signing keys that were encrypted with the previous one, except those that have expired.
 *
 * @returns number of re-encrypted keys
 * @throws {UnreadableSecretError} when a key was encrypted with another secret
 */
export function resealSigningKeys(database: Database, appSecrets: AppSecrets, at: Date): Promise<number> {
  return resealTable(
    database,
    {
      table: 'signing_keys',
      key: ['kid'],
      encrypted: ['private_key'],
      where: Prisma.sql`expires_at IS NULL OR expires_at > ${at}`,
      seal: createSeal(appSecrets, sealPurpose),
      name: ({ kid }) => errorName(kid),
      events: (keys) => [{ type: 'signing_key.resealed', details: { kids: keys.map(({ kid }) => kid) } }],
    },
    at,
  );
}

function errorName(kid: string): string {
  return `Signing key ${kid}`;
}
