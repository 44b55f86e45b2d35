import type { Database } from '../../database/client.js';
import { randomId } from '../../database/ids.js';
import type { AccountId } from '../account-id.js';
import type { AuditContext, UserAuditContext } from '../audit-context.js';
import { claimForm } from '../submitted-forms.js';
import { type ApplicationDetails, type ApplicationSummary, summarySelection } from './application-details.js';
import type { ApplicationSettings } from './application-settings.js';
import type { ClientType } from './client-registry.js';
import { insertApplication } from './insert-application.js';
import { lockApplication } from './lock-application.js';
import { recordApplicationEvent } from './record-application-event.js';
import { settingsChanges, settingsVersion } from './settings-changes.js';

export type RegisteredApplication =
  | {
      readonly kind: 'created';
      readonly id: string;
      readonly clientId: string;
      /** Not readable later; `null` for a public client. */
      readonly clientSecret: string | null;
    }
  /** The same form registered this application before. */
  | { readonly kind: 'repeated'; readonly id: string };

export type UpdateOutcome = 'updated' | 'not_found' | 'changed_meanwhile';

/** The OAuth applications of accounts. Each change is one transaction together with its audit event. */
export class OAuthApplications {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /** Reads a page of the account's applications, by name, and counts all of them. */
  async list(
    accountId: AccountId,
    { skip, size, now }: { skip: number; size: number; now: Date },
  ): Promise<{ applications: readonly ApplicationSummary[]; count: number }> {
    const [applications, count] = await Promise.all([
      this.#prisma.$queryRaw<ApplicationSummary[]>`
        SELECT ${summarySelection(now)} FROM applications WHERE applications.account_id = ${accountId}
        ORDER BY lower(applications.name), applications.id LIMIT ${size} OFFSET ${skip}`,
      this.#prisma.application.count({ where: { accountId } }),
    ]);
    return { applications, count };
  }

  /** Reads the account's application with this id; `null` when there is none, or it is another account's. */
  async get(
    accountId: AccountId,
    { id, now }: { id: string; now: Date },
  ): Promise<ApplicationDetails | null> {
    const [row] = await this.#prisma.$queryRaw<Omit<ApplicationDetails, 'secrets'>[]>`
      SELECT ${summarySelection(now)}, creator.given_name || ' ' || creator.family_name AS "createdBy"
      FROM applications
      LEFT JOIN users creator
        ON creator.account_id = applications.account_id AND creator.id = applications.created_by_id
      WHERE applications.id = ${id} AND applications.account_id = ${accountId}`;
    if (row === undefined) return null;
    const secrets = await this.#prisma.applicationSecret.findMany({
      where: { accountId, applicationId: id },
      select: { id: true, createdAt: true, lastUsedAt: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return { ...row, secrets };
  }

  /** Finds the account's application with this `client_id`; `null` when there is none, or it is another account's. */
  findByClientId(
    accountId: AccountId,
    clientId: string,
  ): Promise<{ readonly id: string; readonly name: string } | null> {
    const select = { id: true, name: true };
    return this.#prisma.application.findFirst({ where: { accountId, clientId }, select });
  }

  /**
   * Registers an application, and its first secret when it is a confidential one.
   *
   * @param options.nonce identifies the form: sent twice, it registers one application
   */
  register(
    auditContext: UserAuditContext,
    { clientType, settings, nonce }: { clientType: ClientType; settings: ApplicationSettings; nonce: string },
  ): Promise<RegisteredApplication> {
    const { userId, at } = auditContext;
    const id = randomId();
    return this.#prisma.$transaction(async (tx): Promise<RegisteredApplication> => {
      const earlier = await claimForm(tx, { userId, nonce }, { resultId: id, at });
      if (earlier !== null) return { kind: 'repeated', id: earlier };
      const inserted = await insertApplication(tx, auditContext, { id, clientType, settings });
      return { kind: 'created', id, ...inserted };
    });
  }

  /**
   * Changes an application. The change applies to issued tokens at their next use: they lose a removed scope.
   *
   * @param options.version the version that was edited; when the stored one differs, nothing is changed; absent: any
   */
  update(
    auditContext: UserAuditContext,
    { id, settings, version }: { id: string; settings: ApplicationSettings; version: string | undefined },
  ): Promise<UpdateOutcome> {
    const { accountId, at } = auditContext;
    return this.#prisma.$transaction(async (tx): Promise<UpdateOutcome> => {
      const before = await lockApplication(tx, accountId, id);
      if (before === null) return 'not_found';
      if (version !== undefined && settingsVersion(before) !== version) return 'changed_meanwhile';
      const requireClientSecret = before.clientType === 'confidential' && settings.requireClientSecret;
      const details = settingsChanges(before, { ...settings, requireClientSecret });
      if (Object.keys(details).length === 0) return 'updated';

      const { name, redirectUris, scopes } = settings;
      await tx.application.update({
        where: { accountId_id: { accountId, id } },
        data: {
          name,
          redirectUris: [...redirectUris],
          scopes: [...scopes],
          requireClientSecret,
          updatedAt: at,
        },
      });
      // An unused code may be at an address that is no longer trusted.
      await tx.authorizationCode.deleteMany({
        where: { accountId, applicationId: id, usedAt: null, redirectUri: { notIn: [...redirectUris] } },
      });
      await recordApplicationEvent(tx, 'application.updated', auditContext, id, details);
      return 'updated';
    });
  }

  /**
   * Revokes everything that an application was granted or issued until now: the grants of all users with their tokens,
   * the unused authorization codes, and the access tokens of the client credentials grant. Its secrets and settings stay.
   *
   * A token without a grant contains the generation of its application at the time of its request. A generation is exact
   * where a time is not: tokens contain whole seconds, and one that is issued right afterwards is valid.
   *
   * @returns how many grants were revoked; `null` when the account has no such application
   */
  revokeAccess(auditContext: AuditContext, id: string): Promise<{ revokedGrants: number } | null> {
    const { accountId, at } = auditContext;
    return this.#prisma.$transaction(async (tx) => {
      const application = await lockApplication(tx, accountId, id);
      if (application === null) return null;
      await tx.application.update({
        where: { accountId_id: { accountId, id } },
        data: { generation: { increment: 1 }, updatedAt: at },
      });
      // Codes first: an exchange that is under way holds its code, and its grant is visible once it is finished.
      await tx.authorizationCode.deleteMany({
        where: { accountId, applicationId: id, usedAt: null },
      });
      const { count: revokedGrants } = await tx.grant.updateMany({
        where: { accountId, applicationId: id, revokedAt: null },
        data: { revokedAt: at },
      });
      const { name, clientId } = application;
      const details = { name, client_id: clientId, revoked_grants: String(revokedGrants) };
      await recordApplicationEvent(tx, 'application.access_revoked', auditContext, id, details);
      return { revokedGrants };
    });
  }

  /**
   * Deletes an application with its secrets, codes, grants and refresh tokens. Its access tokens are rejected from
   * then on, because they name an application that does not exist.
   *
   * @returns whether the account had it
   */
  delete(auditContext: UserAuditContext, id: string): Promise<boolean> {
    const { accountId } = auditContext;
    return this.#prisma.$transaction(async (tx) => {
      const application = await lockApplication(tx, accountId, id);
      if (application === null) return false;
      await tx.application.delete({ where: { accountId_id: { accountId, id } } });
      const { name, clientId } = application;
      await recordApplicationEvent(tx, 'application.deleted', auditContext, id, {
        name,
        client_id: clientId,
      });
      return true;
    });
  }
}
