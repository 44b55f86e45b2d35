import {
  type ApplicationDetails,
  type ApplicationReader,
  type ApplicationSummary,
  summarySelection,
} from '../../oauth/clients/application-details.js';
import { type ApplicationSettings, formatBoolean } from '../../oauth/clients/application-settings.js';
import type { ClientType } from '../../oauth/clients/client-registry.js';
import { Publications } from '../../oauth/clients/publications.js';
import { isRegisteredRedirectUri } from '../../oauth/clients/redirect-uris.js';
import type { AccountId } from '../../platform/accounts/account-id.js';
import type { AuditContext, UserAuditContext } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { inContractOrder } from '../../platform/contract/employee-attributes.js';
import type { Database } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import { consumeNonce } from '../../platform/idempotency/submitted-forms.js';
import { type RevokedAccess, revokeApplicationAccess } from './revoke-application-access.js';
import { expiryDetails, newClientSecret, storeSecret } from './secret-expiry.js';

/** Describes the difference between two settings for the audit log; empty when there is none. */
function settingsChanges(
  before: ApplicationSettings,
  after: ApplicationSettings,
): Record<string, string | string[]> {
  const details: Record<string, string | string[]> = {};
  if (before.name !== after.name) details.name = `${before.name} → ${after.name}`;
  for (const [member, word] of [
    ['redirectUris', 'redirect_uris'],
    ['postLogoutRedirectUris', 'post_logout_redirect_uris'],
    ['scopes', 'scopes'],
    ['readableAttributes', 'readable_attributes'],
  ] as const) {
    const added = after[member].filter((value) => !before[member].includes(value));
    const removed = before[member].filter((value) => !after[member].includes(value));
    if (added.length > 0) details[`${word}_added`] = added;
    if (removed.length > 0) details[`${word}_removed`] = removed;
  }
  for (const [member, word] of [
    ['requireClientSecret', 'require_client_secret'],
    ['requireProofOfPossession', 'require_proof_of_possession'],
    ['requirePushedRequests', 'require_pushed_requests'],
    ['inDevelopment', 'in_development'],
  ] as const) {
    if (before[member] === after[member]) continue;
    details[word] = `${formatBoolean(before[member])} → ${formatBoolean(after[member])}`;
  }
  const [uri, newUri] = [before.backchannelLogoutUri, after.backchannelLogoutUri];
  if (uri !== newUri) details.backchannel_logout_uri = `${uri ?? 'none'} → ${newUri ?? 'none'}`;
  return details;
}

interface NewApplication {
  readonly clientType: ClientType;
  readonly settings: ApplicationSettings;
  /** Time from which on the first secret of a confidential application is rejected; `null`: it never expires. */
  readonly expiresAt: Date | null;
}

/**
 * Inserts the application of the context, the first secret of a confidential application, and the audit event.
 *
 * @returns `clientSecret`: `null` for a public client
 */
async function insertApplication(
  unit: Unit<UserAuditContext & { applicationId: string }>,
  { clientType, settings, expiresAt }: NewApplication,
): Promise<{ clientId: string; clientSecret: string | null }> {
  const { accountId, applicationId, userId, at } = unit.context;
  const clientId = randomId();
  const secret = clientType === 'confidential' ? newClientSecret() : null;
  const { name, redirectUris, postLogoutRedirectUris, backchannelLogoutUri, scopes } = settings;
  const { requireProofOfPossession, requirePushedRequests, inDevelopment } = settings;
  const requireClientSecret = clientType === 'confidential' && settings.requireClientSecret;
  const columns = columnsOf(settings);
  await unit.tx.application.create({
    data: {
      id: applicationId,
      accountId,
      clientId,
      clientType,
      ...columns,
      requireClientSecret,
      createdById: userId,
      createdAt: at,
      updatedAt: at,
    },
  });
  if (secret !== null) {
    await storeSecret(unit, { id: randomId(), ...secret.stored, expiresAt });
  }
  await unit.record('application.created', {
    name,
    client_id: clientId,
    client_type: clientType,
    redirect_uris: redirectUris,
    ...(postLogoutRedirectUris.length > 0 && { post_logout_redirect_uris: postLogoutRedirectUris }),
    scopes,
    readable_attributes: columns.readableAttributes,
    in_development: formatBoolean(inDevelopment),
    require_proof_of_possession: formatBoolean(requireProofOfPossession),
    require_pushed_requests: formatBoolean(requirePushedRequests),
    ...(backchannelLogoutUri !== null && { backchannel_logout_uri: backchannelLogoutUri }),
    ...(clientType === 'confidential' && {
      require_client_secret: formatBoolean(requireClientSecret),
      ...expiryDetails(expiresAt),
    }),
  });
  return { clientId, clientSecret: secret?.value ?? null };
}

/** The columns of the settings, without that of the client secret, which a public client does not have. */
function columnsOf(settings: ApplicationSettings) {
  const { name, redirectUris, postLogoutRedirectUris, scopes, backchannelLogoutUri } = settings;
  const { requireProofOfPossession, requirePushedRequests, inDevelopment } = settings;
  return {
    name,
    redirectUris: [...redirectUris],
    postLogoutRedirectUris: [...postLogoutRedirectUris],
    scopes: [...scopes],
    readableAttributes: inContractOrder(settings.readableAttributes),
    requireProofOfPossession,
    requirePushedRequests,
    backchannelLogoutUri,
    inDevelopment,
  };
}

/** Deletes unused codes that were sent to redirect URIs which are no longer registered. */
async function deleteCodesElsewhere(
  { tx, context: { accountId, applicationId } }: Unit<UserAuditContext & { applicationId: string }>,
  { redirectUris, inDevelopment }: ApplicationSettings,
): Promise<void> {
  const stage = inDevelopment ? 'development' : 'live';
  const codes = await tx.authorizationCode.findMany({
    where: { accountId, applicationId, usedAt: null },
    select: { redirectUri: true },
    distinct: ['redirectUri'],
  });
  const elsewhere = codes
    .map(({ redirectUri }) => redirectUri)
    .filter((uri) => !isRegisteredRedirectUri({ redirectUris, stage }, uri));
  await tx.authorizationCode.deleteMany({
    where: { accountId, applicationId, usedAt: null, redirectUri: { in: elsewhere } },
  });
}

/** Whether an application may have these settings. The application is locked. */
async function isPermitted(
  { tx, context: { accountId, applicationId } }: Unit<UserAuditContext & { applicationId: string }>,
  before: NonNullable<Awaited<ReturnType<typeof lock.application>>>,
  after: ApplicationSettings,
): Promise<boolean> {
  if (before.isInstallation) {
    const { scopes, readableAttributes } = after;
    const others = settingsChanges({ ...before, scopes, readableAttributes }, after);
    const requestable = scopes.every((scope) => before.requestedScopes.includes(scope));
    return Object.keys(others).length === 0 && scopes.length > 0 && requestable;
  }
  if (!after.inDevelopment || before.inDevelopment) return true;
  const where = { publisherAccountId: accountId, applicationId };
  return (await tx.sharedApplication.count({ where })) === 0;
}

type RegisteredApplication =
  | {
      readonly kind: 'created';
      readonly id: string;
      readonly clientId: string;
      /** Cannot be read later; `null` for a public client. */
      readonly clientSecret: string | null;
    }
  /** The same form has already registered this application. */
  | { readonly kind: 'repeated'; readonly id: string };

/** The OAuth applications of accounts. Each change is one transaction together with its audit event. */
export class OAuthApplications implements ApplicationReader {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /** Lists applications of the account by name, and counts all of them. */
  async list(
    accountId: AccountId,
    { skip, size, now }: { skip: number; size: number; now: Date },
  ): Promise<{ applications: readonly ApplicationSummary[]; count: number }> {
    const [applications, count] = await Promise.all([
      this.#prisma.$queryRaw<ApplicationSummary[]>`
        SELECT ${summarySelection(now)} FROM applications WHERE applications.account_id = ${accountId}
        ORDER BY applications.name COLLATE "und-x-icu", applications.id LIMIT ${size} OFFSET ${skip}`,
      this.#prisma.application.count({ where: { accountId } }),
    ]);
    return { applications, count };
  }

  /** Ids and names of applications of the account, by name. */
  names(accountId: AccountId, size: number): Promise<{ id: string; name: string }[]> {
    return this.#prisma.$queryRaw<{ id: string; name: string }[]>`
      SELECT id, name FROM applications WHERE account_id = ${accountId}
      ORDER BY name COLLATE "und-x-icu", id LIMIT ${size}`;
  }

  async get(
    accountId: AccountId,
    { id, now }: { id: string; now: Date },
  ): Promise<ApplicationDetails | null> {
    const [row] = await this.#prisma.$queryRaw<Omit<ApplicationDetails, 'secrets'>[]>`
      SELECT ${summarySelection(now)}, applications.jwks, applications.jwks_uri AS "jwksUri",
        creator.given_name || ' ' || creator.family_name AS "createdBy"
      FROM applications
      LEFT JOIN users creator
        ON creator.account_id = applications.account_id AND creator.id = applications.created_by_id
      WHERE applications.id = ${id} AND applications.account_id = ${accountId}`;
    if (row === undefined) return null;
    const secrets = await this.#prisma.applicationSecret.findMany({
      where: { accountId, applicationId: id },
      select: { id: true, createdAt: true, lastUsedAt: true, lastCharacters: true, expiresAt: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return { ...row, secrets };
  }

  /**
   * Registers an application, and creates the first secret of a confidential application.
   *
   * @param nonce identifies the form, so that a repeated submission registers no second application
   */
  register(
    auditContext: UserAuditContext,
    { nonce, ...application }: NewApplication & { nonce: string },
  ): Promise<RegisteredApplication> {
    const id = randomId();
    const context = { ...auditContext, applicationId: id };
    return change(this.#prisma, context, lock.nothing, async (unit) => {
      const previous = await consumeNonce(unit, nonce, id);
      if (previous !== null) return { kind: 'repeated', id: previous };
      const inserted = await insertApplication(unit, application);
      return { kind: 'created', id, ...inserted };
    });
  }

  /**
   * Changes an application. Issued tokens lose a removed scope at their next use. Of an installation, only the scopes and the
   * readable attributes change.
   *
   * @param expected the settings that were read. When others are stored, nothing is changed. Default: not compared.
   * @returns `not_permitted`: other changes of an installation, a scope that it does not request, or development of a published
   *   application
   */
  update(
    auditContext: UserAuditContext,
    { id, settings, expected }: { id: string; settings: ApplicationSettings; expected?: ApplicationSettings },
  ): Promise<'updated' | 'not_found' | 'conflict' | 'not_permitted'> {
    const { accountId, at } = auditContext;
    const context = { ...auditContext, applicationId: id };
    return change(this.#prisma, context, lock.application, async (unit, before) => {
      const { tx } = unit;
      if (before === null) return 'not_found';
      const changed = expected === undefined ? {} : settingsChanges(expected, before);
      if (Object.keys(changed).length > 0) return 'conflict';
      const requireClientSecret = before.clientType === 'confidential' && settings.requireClientSecret;
      const details = settingsChanges(before, { ...settings, requireClientSecret });
      if (Object.keys(details).length === 0) return 'updated';
      if (!(await isPermitted(unit, before, { ...settings, requireClientSecret }))) return 'not_permitted';

      await tx.application.update({
        where: { accountId_id: { accountId, id } },
        data: { ...columnsOf(settings), requireClientSecret, updatedAt: at },
      });
      if (!before.isInstallation) await deleteCodesElsewhere(unit, settings);
      await unit.record('application.updated', details);
      return 'updated';
    });
  }

  /**
   * Chooses the attributes of employees that an application or installation may read, of those that it can be without.
   *
   * @param kept what stays chosen if it was chosen before
   * @returns whether the account has it
   */
  setReadableAttributes(
    auditContext: AuditContext,
    {
      id,
      readableAttributes,
      kept,
    }: { id: string; readableAttributes: readonly string[]; kept: readonly string[] },
  ): Promise<boolean> {
    const { accountId, at } = auditContext;
    const context = { ...auditContext, applicationId: id };
    return change(this.#prisma, context, lock.application, async (unit, before) => {
      if (before === null) return false;
      const stay = kept.filter((name) => before.readableAttributes.includes(name));
      const after = { ...before, readableAttributes: inContractOrder([...readableAttributes, ...stay]) };
      const details = settingsChanges(before, after);
      if (Object.keys(details).length === 0) return true;
      await unit.tx.application.update({
        where: { accountId_id: { accountId, id } },
        data: { readableAttributes: after.readableAttributes, updatedAt: at },
      });
      await unit.record('application.updated', details);
      return true;
    });
  }

  /**
   * Revokes all access of an application, and keeps its secrets and settings.
   *
   * @returns `null` when the account has no such application
   */
  revokeAccess(auditContext: AuditContext, id: string): Promise<RevokedAccess | null> {
    const context = { ...auditContext, applicationId: id };
    return change(this.#prisma, context, lock.application, async (unit, application) =>
      application === null ? null : revokeApplicationAccess(unit, [{ id, ...application }]),
    );
  }

  /**
   * Deletes an application with its secrets, codes, grants and refresh tokens. Its access tokens are rejected, because
   * they name an application that does not exist. One that is published is withdrawn first.
   *
   * @returns whether the account had it
   */
  async delete(auditContext: UserAuditContext, id: string): Promise<boolean> {
    const { accountId } = auditContext;
    const context = { ...auditContext, applicationId: id };
    await new Publications({ prisma: this.#prisma }).withdraw(context);
    return change(this.#prisma, context, lock.application, async (unit, application) => {
      if (application === null) return false;
      await unit.tx.application.delete({ where: { accountId_id: { accountId, id } } });
      const { name, clientId } = application;
      await unit.record('application.deleted', { name, client_id: clientId });
      return true;
    });
  }
}
