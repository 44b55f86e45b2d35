import type { AccountId } from '../../platform/accounts/account-id.js';
import { type RevocationChoice, revokeAdmittedAccess } from '../../platform/accounts/revoke-user-access.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { type AffectedUser, lock } from '../../platform/changes/locks.js';
import type { Config } from '../../platform/config/config.js';
import type { Core } from '../../platform/core.js';
import type { Seal } from '../../platform/crypto/keyring.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import type { Provider, ProviderClient } from './provider-client.js';
import type { StoredFailure } from './provider-errors.js';
import { checkProvider, findFormErrors, type ProviderErrors, type ProviderForm } from './provider-form.js';
import { createProviderSeal } from './provider-secrets.js';

/** The settings of the identity provider of an account, without its secret. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly onlySingleSignOn: boolean;
  /** Whether addresses of confirmed domains are accepted without the claim `email_verified`. */
  readonly addressesVerified: boolean;
  /** When a user last signed in, to the minute; `null`: no user has. */
  readonly lastSuccessAt: Date | null;
  /** The last sign-in that failed because of the identity provider or its claims, to the minute. */
  readonly lastFailure: LastFailure | null;
}

interface LastFailure extends StoredFailure {
  readonly at: Date;
}

type SaveOutcome =
  /** `issuer_replaced`: users signed in at another issuer before. */
  | { readonly kind: 'saved' | 'issuer_replaced' }
  | { readonly kind: 'invalid'; readonly errors: ProviderErrors }
  /** The user is no longer an owner. */
  | { readonly kind: 'forbidden' };

export type RequireOutcome =
  | 'saved'
  | 'forbidden'
  | 'no_provider'
  /** The session was not created with the identity provider, which may not work. */
  | 'not_signed_in'
  | 'no_recovery_codes';

/** Minimum time between two writes of the same outcome, because all sign-ins of an account write the same row. */
const outcomeMilliseconds = 60_000;

/** The identity provider of an account, with the name of the account. */
export interface StoredProvider extends Provider {
  readonly accountName: string;
}

/** The identity providers of accounts. Only owners change them. */
export class IdentityProviders {
  readonly #prisma: Database['prisma'];
  readonly #seal: Seal;
  readonly #client: ProviderClient;
  readonly #config: Pick<Config, 'production'>;

  constructor({ database, appSecrets, config }: Core, client: ProviderClient) {
    this.#prisma = database.prisma;
    this.#seal = createProviderSeal(appSecrets);
    this.#client = client;
    this.#config = config;
  }

  /** The settings of an account; `null` without an identity provider. */
  async get(accountId: AccountId): Promise<ProviderSettings | null> {
    const row = await this.#prisma.identityProvider.findFirst({
      where: { accountId },
      omit: { sealedSecret: true },
    });
    if (row === null) return null;
    const { lastFailureAt: at, lastFailure } = row;
    const failure = lastFailure as unknown as StoredFailure | null;
    return { ...row, lastFailure: at === null || failure === null ? null : { at, ...failure } };
  }

  /** Stores that a user of an account has signed in. */
  async recordSuccess(
    { accountId, issuer }: Pick<Provider, 'accountId' | 'issuer'>,
    at: Date,
  ): Promise<void> {
    const before = new Date(at.getTime() - outcomeMilliseconds);
    await withScope(accountScope(accountId), () =>
      this.#prisma.identityProvider.updateMany({
        where: { accountId, issuer, OR: [{ lastSuccessAt: null }, { lastSuccessAt: { lt: before } }] },
        data: { lastSuccessAt: at },
      }),
    );
  }

  /** Stores why a sign-in failed. */
  async recordFailure(
    { accountId, issuer }: Pick<Provider, 'accountId' | 'issuer'>,
    failure: StoredFailure,
    at: Date,
  ): Promise<void> {
    const before = new Date(at.getTime() - outcomeMilliseconds);
    const text = JSON.stringify(failure);
    await withScope(
      accountScope(accountId),
      () => this.#prisma.$executeRaw`
        UPDATE identity_providers SET last_failure_at = ${at}, last_failure = ${text}::jsonb
        WHERE account_id = ${accountId} AND issuer = ${issuer}
          AND (last_failure IS DISTINCT FROM ${text}::jsonb OR last_failure_at < ${before})`,
    );
  }

  /**
   * The identity provider of an account with its secret; `null` when there is none.
   *
   * @throws {Error} when the secret was encrypted with another `APP_SECRET`
   */
  async find(accountId: string): Promise<StoredProvider | null> {
    const row = await withScope(accountScope(accountId), () =>
      this.#prisma.identityProvider.findFirst({
        where: { accountId },
        include: { account: { select: { name: true } } },
      }),
    );
    if (row === null) return null;
    const { issuer, clientId, sealedSecret, updatedAt, account } = row;
    const { plain: clientSecret } = await this.#seal.open(sealedSecret);
    return {
      accountId,
      accountName: account.name,
      issuer,
      clientId,
      clientSecret,
      version: updatedAt.toISOString(),
    };
  }

  /**
   * Validates and stores the settings. The metadata of the identity provider is read first, so that a wrong issuer is
   * detected before users sign in. Another issuer needs a new secret: the stored one must not be sent to another server. It
   * revokes what the earlier one admitted, as {@link remove} does.
   */
  async save(context: UserAuditContext, form: ProviderForm, choice: RevocationChoice): Promise<SaveOutcome> {
    const { accountId, at } = context;
    const current = await this.find(accountId).catch(() => null);
    const errors = findFormErrors(form, current, { allowHttp: !this.#config.production });
    if (Object.keys(errors).length > 0) return { kind: 'invalid', errors };
    const clientSecret = form.clientSecret || (current?.clientSecret ?? '');
    const { issuer: given, clientId, addressesVerified } = form;
    const checked = await checkProvider(this.#client, {
      accountId,
      issuer: given,
      clientId,
      clientSecret,
      version: '',
    });
    if ('error' in checked) return { kind: 'invalid', errors: { issuer: checked.error } };
    const { issuer } = checked;
    const sealedSecret = await this.#seal.seal(clientSecret);
    return await change(this.#prisma, context, lock.owner, async (unit, users) => {
      const { tx } = unit;
      if (users === null) return { kind: 'forbidden' };
      const stored = await tx.identityProvider.findFirst({ where: { accountId } });
      const details = { issuer, client_id: clientId, addresses_verified: addressesVerified ? 'on' : 'off' };
      if (stored === null) {
        const dates = { createdAt: at, updatedAt: at };
        await tx.identityProvider.create({
          data: { accountId, issuer, clientId, sealedSecret, addressesVerified, ...dates },
        });
        await unit.record('identity_provider.created', details);
        return { kind: 'saved' };
      }
      const isReplaced = stored.issuer !== issuer;
      // No user has signed in at another identity provider, so it may not work.
      const otherwise = isReplaced ? { onlySingleSignOn: false, ...noOutcome } : {};
      // The time is the version of the settings.
      const updatedAt = new Date(Math.max(at.getTime(), stored.updatedAt.getTime() + 1));
      const data = { issuer, clientId, sealedSecret, addressesVerified, updatedAt, ...otherwise };
      await tx.identityProvider.updateMany({ where: { accountId }, data });
      const secret = form.clientSecret === '' ? 'unchanged' : 'changed';
      const revoked = isReplaced ? await revokeIssuer(unit, { users, issuer: stored.issuer }, choice) : {};
      await unit.record('identity_provider.updated', { ...details, secret, ...revoked });
      return { kind: isReplaced ? 'issuer_replaced' : 'saved' };
    });
  }

  /**
   * Requires single sign-on of administrators and members, or no longer. To turn it on, the owner must have signed in by single
   * sign-on and have recovery codes, so that the account does not lose its last way in. It revokes the sessions with a
   * password (of owners: without a second factor), unused authorization codes and links of all users.
   *
   * @param singleSignOn whether the owner signed in by single sign-on
   */
  async requireSingleSignOn(
    context: UserAuditContext,
    { required, singleSignOn }: { required: boolean; singleSignOn: boolean },
    choice: RevocationChoice,
  ): Promise<RequireOutcome> {
    const { accountId, userId } = context;
    return await change(this.#prisma, context, lock.owner, async (unit, users) => {
      const { tx } = unit;
      if (users === null) return 'forbidden';
      const stored = await tx.identityProvider.findFirst({ where: { accountId } });
      if (stored === null) return 'no_provider';
      if (stored.onlySingleSignOn === required) return 'saved';
      const { issuer } = stored;
      let revoked = {};
      if (required) {
        const codes = await tx.recoveryCode.count({ where: { accountId, userId, usedAt: null } });
        const identities = await tx.userIdentity.count({ where: { accountId, userId, issuer } });
        if (!singleSignOn || identities === 0) return 'not_signed_in';
        if (codes === 0) return 'no_recovery_codes';
        const sessions = Prisma.sql`
          NOT single_sign_on AND NOT (second_factor_at IS NOT NULL AND EXISTS (
            SELECT FROM users WHERE users.account_id = sessions.account_id AND users.id = sessions.user_id
              AND users.role = 'owner'))`;
        const admitted = { users, sessions, links: ['password', 'email'] } as const;
        revoked = await revokeAdmittedAccess(unit, admitted, choice);
      }
      await tx.identityProvider.updateMany({ where: { accountId }, data: { onlySingleSignOn: required } });
      const details = { issuer, only_single_sign_on: required ? 'on' : 'off', ...revoked };
      await unit.record('identity_provider.updated', details);
      return 'saved';
    });
  }

  /**
   * Removes the identity provider, its identities of users, the sessions that it signed in, and the unused authorization codes
   * and unconfirmed e-mail addresses of these users.
   *
   * @returns false when there is none, or the user is no longer an owner
   */
  async remove(context: UserAuditContext, choice: RevocationChoice): Promise<boolean> {
    const { accountId } = context;
    return await change(this.#prisma, context, lock.owner, async (unit, users) => {
      const { tx } = unit;
      if (users === null) return false;
      const stored = await tx.identityProvider.findFirst({ where: { accountId } });
      if (stored === null) return false;
      await tx.identityProvider.deleteMany({ where: { accountId } });
      const { issuer, clientId } = stored;
      const revoked = await revokeIssuer(unit, { users, issuer }, choice);
      await unit.record('identity_provider.deleted', { issuer, client_id: clientId, ...revoked });
      return true;
    });
  }
}

/** No sign-in yet. */
const noOutcome = { lastSuccessAt: null, lastFailureAt: null, lastFailure: Prisma.DbNull };

/**
 * Revokes what the identity provider admitted, in the change of its row: a sign-in that is in progress locks
 * the row before it is complete.
 *
 * @returns details for the audit event
 */
async function revokeIssuer(
  unit: Unit,
  { users, issuer }: { users: readonly AffectedUser[]; issuer: string },
  choice: RevocationChoice,
): Promise<Record<string, string>> {
  const { tx } = unit;
  const { accountId } = unit.context;
  const identities = await tx.userIdentity.findMany({
    where: { accountId, issuer },
    select: { userId: true },
  });
  const linked = new Set(identities.map(({ userId }) => userId));
  const admitted = {
    users: users.filter(({ id }) => linked.has(id)),
    sessions: Prisma.sql`single_sign_on`,
    links: ['email'],
  } as const;
  const revoked = await revokeAdmittedAccess(unit, admitted, choice);
  await tx.userIdentity.deleteMany({ where: { accountId } });
  await tx.signInRequest.deleteMany({ where: { accountId } });
  return revoked;
}
