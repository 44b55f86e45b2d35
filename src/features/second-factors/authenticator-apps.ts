import { Secret, TOTP } from 'otpauth';
import { SessionEndedError } from '../../platform/accounts/sessions.js';
import type { User } from '../../platform/accounts/user.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Clock } from '../../platform/clock.js';
import type { Core } from '../../platform/core.js';
import { type AppSecrets, createSeal, type Seal } from '../../platform/crypto/keyring.js';
import { resealTable } from '../../platform/crypto/reseal-table.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import type { SecurityEmails } from '../../platform/mail/security-emails.js';
import {
  addFactor,
  type FactorAddition,
  type FactorRemoval,
  type FactorSession,
  removeFactor,
} from './factor-changes.js';

/** Seconds in which a code is valid, and the number of its digits. All authenticator apps have these defaults. */
const period = 30;
const digits = 6;

/** Codes of this many periods before and after the current one are accepted, because clocks differ. @see RFC 6238, section 5.2 */
const window = 1;

/** Size of a secret in bytes. @see RFC 4226, section 4 */
const secretBytes = 20;

/** Whether a text has the form of a code. */
export function isTotpCode(text: string): boolean {
  return /^\d{6}$/.test(text);
}

/**
 * Checks a code in constant time.
 *
 * @returns the number of the period that the code belongs to; `null` when the code is wrong
 * @see RFC 6238
 */
function totpStep(secret: string, code: string, at: Date): number | null {
  const timestamp = at.getTime();
  const options = { secret: Secret.fromBase32(secret), period, digits, timestamp };
  const delta = TOTP.validate({ ...options, token: code, window });
  return delta === null ? null : TOTP.counter({ period, timestamp }) + delta;
}

/** Time in which a user has to enter the first code of an authenticator app. */
const setUpSeconds = 1800;

/** A secret that a user enters into an authenticator app. */
export interface AppSetUp {
  /** Base32. */
  readonly secret: string;
  /** URI for a QR code. */
  readonly uri: string;
  /** The encrypted secret, which the form with the first code contains. */
  readonly token: string;
}

type AppAddition =
  | ({ readonly kind: 'added' } & FactorAddition)
  | { readonly kind: 'wrong_code' }
  /** The token has expired, or belongs to another user. */
  | { readonly kind: 'invalid_token' };

/** The encrypted data. It contains the user, so that a secret cannot be stored for another user. */
interface SealedSecret {
  readonly user: string;
  readonly secret: string;
  /** Milliseconds since the epoch. Only in the token of a setup. */
  readonly expires?: number;
}

/** Authenticator apps with one-time passwords. A user has at most one secret, which several apps may have. @see RFC 6238 */
export class AuthenticatorApps {
  readonly #prisma: Database['prisma'];
  readonly #clock: Clock;
  readonly #seal: Seal;
  readonly #setUpSeal: Seal;
  readonly #securityEmails: SecurityEmails;

  constructor({
    database,
    appSecrets,
    clock,
    securityEmails,
  }: Pick<Core, 'database' | 'appSecrets' | 'clock' | 'securityEmails'>) {
    this.#prisma = database.prisma;
    this.#clock = clock;
    this.#seal = createAppSeal(appSecrets);
    this.#setUpSeal = createSeal(appSecrets, 'authenticator-app-set-up');
    this.#securityEmails = securityEmails;
  }

  /** When the user added the authenticator app; `null` when there is none. */
  async addedAt({ id: userId, accountId }: Pick<User, 'id' | 'accountId'>): Promise<Date | null> {
    const select = { createdAt: true };
    const app = await this.#prisma.totpFactor.findFirst({ where: { accountId, userId }, select });
    return app?.createdAt ?? null;
  }

  /** Generates a secret. Nothing is stored until the user enters a code. */
  async setUp(user: User): Promise<AppSetUp> {
    const secret = new Secret({ size: secretBytes }).base32;
    const expires = this.#clock().getTime() + setUpSeconds * 1000;
    const token = await this.#setUpSeal.seal(JSON.stringify({ user: user.id, secret, expires }));
    return { ...this.#describe(user, secret), token };
  }

  /** Reads the token of a setup, to show the form again; `null` when it is invalid. */
  async readSetUp(user: User, token: string): Promise<AppSetUp | null> {
    const secret = await this.#openSetUp(user.id, token);
    return secret === null ? null : { ...this.#describe(user, secret), token };
  }

  /** Stores the secret of a setup, if the code is correct. It replaces an earlier secret. */
  async add(
    context: UserAuditContext,
    { token, code, session }: { token: string; code: string; session: FactorSession },
  ): Promise<AppAddition> {
    const { accountId, userId, at } = context;
    const secret = await this.#openSetUp(userId, token);
    if (secret === null) return { kind: 'invalid_token' };
    const step = isTotpCode(code) ? totpStep(secret, code, at) : null;
    if (step === null) return { kind: 'wrong_code' };
    const sealedSecret = await this.#seal.seal(JSON.stringify({ user: userId, secret }));
    const data = { sealedSecret, lastStep: step, createdAt: at };
    const addition = await change(this.#prisma, context, lock.enabledUser(userId), async (unit, user) => {
      if (user === null) throw new SessionEndedError();
      return await addFactor(unit, {
        session,
        method: 'authenticator app',
        event: { type: 'authenticator_app.added' },
        insert: () =>
          unit.tx.totpFactor.upsert({
            where: { accountId_userId: { accountId, userId } },
            create: { accountId, userId, ...data },
            update: data,
          }),
      });
    });
    this.#securityEmails.send(context, userId, 'authenticator_app_added');
    return { kind: 'added', ...addition };
  }

  async remove(context: UserAuditContext): Promise<FactorRemoval> {
    const { accountId, userId } = context;
    const removal = await removeFactor(this.#prisma, context, {
      type: 'authenticator_app.removed',
      remove: async (tx) => {
        const { count } = await tx.totpFactor.deleteMany({ where: { accountId, userId } });
        return count === 0 ? null : {};
      },
    });
    if (removal.kind === 'removed') this.#securityEmails.send(context, userId, 'authenticator_app_removed');
    return removal;
  }

  /**
   * Checks a code.
   *
   * @returns consumes the code in a transaction, and returns whether it was unused; `null` when the code is wrong, or the
   *   user has no authenticator app
   */
  async check(
    { accountId, userId, at }: UserAuditContext,
    code: string,
  ): Promise<((tx: Prisma.TransactionClient) => Promise<boolean>) | null> {
    const row = await this.#prisma.totpFactor.findFirst({ where: { accountId, userId } });
    if (row === null) return null;
    const { secret } = await this.#open(row);
    const step = totpStep(secret, code, at);
    if (step === null) return null;
    return async (tx) => {
      // Of concurrent transactions with a code one succeeds.
      const where = { accountId, userId, lastStep: { lt: step } };
      return (await tx.totpFactor.updateMany({ where, data: { lastStep: step } })).count > 0;
    };
  }

  #describe({ accountName: issuer, email: label }: User, secret: string) {
    return { secret, uri: new TOTP({ issuer, label, secret, period, digits }).toString() };
  }

  async #open({ sealedSecret, userId }: { sealedSecret: string; userId: string }): Promise<SealedSecret> {
    const sealed = JSON.parse((await this.#seal.open(sealedSecret)).plain) as SealedSecret;
    if (sealed.user !== userId) throw new Error(`The secret of user ${userId} belongs to another user`);
    return sealed;
  }

  async #openSetUp(userId: string, token: string): Promise<string | null> {
    const opened = await this.#setUpSeal.open(token).catch(() => null);
    if (opened === null) return null;
    const { user, secret, expires = 0 } = JSON.parse(opened.plain) as SealedSecret;
    return user === userId && expires > this.#clock().getTime() ? secret : null;
  }
}

function createAppSeal(appSecrets: AppSecrets): Seal {
  return createSeal(appSecrets, 'authenticator-apps');
}

/**
 * Re-encrypts with the current secret of the application all secrets that were encrypted with the previous one. For the operator
 * only.
 *
 * @returns number of re-encrypted secrets
 * @throws {UnreadableSecretError} when one was encrypted with another secret
 */
export function resealAuthenticatorApps(
  database: Pick<Database, 'prisma'>,
  appSecrets: AppSecrets,
  at: Date,
): Promise<number> {
  return resealTable(
    database,
    {
      table: 'totp_factors',
      key: ['account_id', 'user_id'],
      encrypted: ['sealed_secret'],
      seal: createAppSeal(appSecrets),
      name: ({ user_id }) => `The secret of the authenticator app of user ${user_id}`,
    },
    at,
  );
}
