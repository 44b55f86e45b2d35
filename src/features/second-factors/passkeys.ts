import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { type AccountId, toAccountId } from '../../platform/accounts/account-id.js';
import { SessionEndedError } from '../../platform/accounts/sessions.js';
import { type User, userName } from '../../platform/accounts/user.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { parseJson } from '../../platform/contract/outside-text.js';
import type { Core } from '../../platform/core.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { violatedUniqueConstraint } from '../../platform/database/database-errors.js';
import { randomId } from '../../platform/database/ids.js';
import { allAccounts, withScope } from '../../platform/database/scope.js';
import type { SecurityEmails } from '../../platform/mail/security-emails.js';
import {
  addFactor,
  type FactorAddition,
  type FactorRemoval,
  type FactorSession,
  removeFactor,
} from './factor-changes.js';
import { PasskeyChallenges, type PasskeyPurpose } from './passkey-challenges.js';

/** The library is loaded with the first passkey. */
const library = () => import('@simplewebauthn/server');

/** Maximum number of passkeys of a user. */
export const maximumPasskeys = 20;

/** Maximum size of a credential id in bytes. @see Web Authentication, section 7.1 */
const maximumCredentialIdBytes = 1023;

export interface PasskeySummary {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

type PasskeyAddition =
  | ({ readonly kind: 'added' } & FactorAddition)
  /** The response of the browser is wrong, or its challenge has expired. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'exists' }
  | { readonly kind: 'limit_reached' };

/** A passkey whose signature is right. */
interface ProvedPasskey {
  readonly accountId: AccountId;
  readonly userId: string;
  /** Consumes the challenge in a transaction. Returns whether it was unused. */
  consume(tx: Prisma.TransactionClient, at: Date): Promise<boolean>;
}

/** A response of the browser, which is untrusted, and the CSRF token of the form that it was submitted with. */
export interface PasskeyResponse {
  /** JSON, as `PublicKeyCredential.toJSON()` returns it. */
  readonly credential: string;
  readonly csrfToken: string;
}

interface StoredPasskey {
  readonly id: string;
  readonly accountId: string;
  readonly userId: string;
  readonly credentialId: Uint8Array<ArrayBuffer>;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly signCount: bigint;
}

/**
 * Passkeys. Each verifies its user by fingerprint, face or PIN, and is stored in the authenticator, so that it is a second
 * factor and can replace the password.
 *
 * @see Web Authentication, sections 7.1 and 7.2
 */
export class Passkeys {
  readonly #prisma: Database['prisma'];
  readonly #challenges: PasskeyChallenges;
  readonly #origin: string;
  readonly #host: string;
  readonly #securityEmails: SecurityEmails;

  constructor({ config, database, appSecrets, clock, securityEmails }: Core) {
    const { origin, hostname } = new URL(config.baseUrl);
    this.#prisma = database.prisma;
    this.#challenges = new PasskeyChallenges(appSecrets, clock);
    this.#origin = origin;
    this.#host = hostname;
    this.#securityEmails = securityEmails;
  }

  async list({ id: userId, accountId }: Pick<User, 'id' | 'accountId'>): Promise<PasskeySummary[]> {
    return await this.#prisma.passkey.findMany({
      where: { accountId, userId },
      select: { id: true, name: true, createdAt: true, lastUsedAt: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
  }

  /** Options for a browser that adds a passkey. */
  async additionOptions(user: User, csrfToken: string): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { generateRegistrationOptions } = await library();
    return await generateRegistrationOptions({
      rpName: 'People',
      rpID: this.#host,
      userName: user.email,
      userDisplayName: userName(user),
      userID: new TextEncoder().encode(user.id),
      challenge: this.#challenges.create('add', csrfToken),
      excludeCredentials: await this.#credentials(user),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /**
   * Options for a browser that uses a passkey.
   *
   * @param user absent when the user signs in with a passkey only, and is not known yet
   */
  async useOptions(csrfToken: string, user?: User): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const purpose: PasskeyPurpose = user === undefined ? 'sign_in' : 'second_factor';
    const { generateAuthenticationOptions } = await library();
    return await generateAuthenticationOptions({
      rpID: this.#host,
      challenge: this.#challenges.create(purpose, csrfToken),
      userVerification: 'required',
      ...(user !== undefined && { allowCredentials: await this.#credentials(user) }),
    });
  }

  /**
   * Adds the passkey that the browser has created.
   *
   * @throws {SessionEndedError}
   */
  async add(
    context: UserAuditContext,
    { response, name, session }: { response: PasskeyResponse; name: string; session: FactorSession },
  ): Promise<PasskeyAddition> {
    const { accountId, userId, at } = context;
    const credential = await this.#verifyAddition(response);
    if (credential === null) return { kind: 'invalid' };
    const credentialId = Buffer.from(credential.id, 'base64url');
    if (credentialId.length > maximumCredentialIdBytes) return { kind: 'invalid' };
    const data = {
      id: randomId(),
      accountId,
      userId,
      credentialId,
      publicKey: credential.publicKey,
      signCount: credential.counter,
      transports: [...(credential.transports ?? [])],
      name,
      createdAt: at,
    };
    // Of concurrent additions each counts those before it.
    const add = change(
      this.#prisma,
      context,
      lock.enabledUser(userId),
      async (unit, user): Promise<PasskeyAddition> => {
        if (user === null) throw new SessionEndedError();
        if ((await unit.tx.passkey.count({ where: { accountId, userId } })) >= maximumPasskeys)
          return { kind: 'limit_reached' };
        const added = await addFactor(unit, {
          session,
          method: 'passkey',
          event: { type: 'passkey.added', details: { name } },
          insert: () => unit.tx.passkey.create({ data }),
        });
        return { kind: 'added', ...added };
      },
    );
    const addition = await add.catch((error): PasskeyAddition => {
      if (violatedUniqueConstraint(error) !== undefined) return { kind: 'exists' };
      throw error;
    });
    if (addition.kind === 'added') this.#securityEmails.send(context, userId, 'passkey_added');
    return addition;
  }

  async remove(context: UserAuditContext, id: string): Promise<FactorRemoval> {
    const { accountId, userId } = context;
    const removal = await removeFactor(this.#prisma, context, {
      type: 'passkey.removed',
      remove: async (tx) => {
        const where = { accountId, userId, id };
        const found = await tx.passkey.findFirst({ where, select: { name: true } });
        if (found === null || (await tx.passkey.deleteMany({ where })).count === 0) return null;
        return { name: found.name };
      },
    });
    if (removal.kind === 'removed') this.#securityEmails.send(context, userId, 'passkey_removed');
    return removal;
  }

  /**
   * Verifies the response of a browser that used a passkey. Passkeys are looked up in all accounts, because a user who signs
   * in with a passkey only is not known yet.
   *
   * @param user the user who entered the password; absent when the passkey identifies the user
   */
  async prove(
    { credential, csrfToken }: PasskeyResponse,
    user?: Pick<User, 'id' | 'accountId'>,
  ): Promise<ProvedPasskey | null> {
    const response = parse<AuthenticationResponseJSON>(credential);
    const stored = response === null ? null : await this.#find(response.id);
    if (response === null || stored === null) return null;
    if (user !== undefined && (stored.userId !== user.id || stored.accountId !== user.accountId)) return null;
    const purpose: PasskeyPurpose = user === undefined ? 'sign_in' : 'second_factor';
    const { verifyAuthenticationResponse } = await library();
    let issuedAt: Date | null = null;
    const verified = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => {
        issuedAt = this.#challenges.verify(challenge, purpose, csrfToken);
        return issuedAt !== null;
      },
      expectedOrigin: this.#origin,
      expectedRPID: this.#host,
      credential: { id: response.id, publicKey: stored.publicKey, counter: Number(stored.signCount) },
      // The package throws errors for all invalid responses.
    }).catch(() => null);
    if (verified?.verified !== true || issuedAt === null) return null;
    const createdAt: Date = issuedAt;
    const signCount = BigInt(verified.authenticationInfo.newCounter);
    return {
      accountId: toAccountId(stored.accountId),
      userId: stored.userId,
      // A challenge is used once: the passkey must not have been used since it was created.
      consume: async (tx, at) => {
        const unused = { OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: createdAt } }] };
        const where = { id: stored.id, accountId: stored.accountId, ...unused };
        return (await tx.passkey.updateMany({ where, data: { lastUsedAt: at, signCount } })).count > 0;
      },
    };
  }

  async #verifyAddition({ credential, csrfToken }: PasskeyResponse) {
    const response = parse<RegistrationResponseJSON>(credential);
    if (response === null) return null;
    const { verifyRegistrationResponse } = await library();
    const verified = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => this.#challenges.verify(challenge, 'add', csrfToken) !== null,
      expectedOrigin: this.#origin,
      expectedRPID: this.#host,
    }).catch(() => null);
    if (verified?.verified !== true) return null;
    const { id, publicKey, counter } = verified.registrationInfo.credential;
    return { id, publicKey, counter, transports: knownTransports(response.response.transports) };
  }

  async #find(credentialId: unknown): Promise<StoredPasskey | null> {
    if (typeof credentialId !== 'string') return null;
    const where = { credentialId: Buffer.from(credentialId, 'base64url') };
    return await withScope(allAccounts, () => this.#prisma.passkey.findFirst({ where }));
  }

  async #credentials({ id: userId, accountId }: User) {
    const rows = await this.#prisma.passkey.findMany({
      where: { accountId, userId },
      select: { credentialId: true, transports: true },
    });
    return rows.map(({ credentialId, transports }) => {
      return { id: Buffer.from(credentialId).toString('base64url'), transports };
    });
  }
}

/** The ways in which a browser reaches an authenticator. Those that the service does not know are omitted. */
const transports: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

function knownTransports(given: unknown): AuthenticatorTransport[] {
  return transports.filter(
    (known) => Array.isArray(given) && given.includes(known),
  ) as AuthenticatorTransport[];
}

function parse<Response>(text: string): Response | null {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? (value as Response) : null;
}
