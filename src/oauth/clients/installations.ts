import { type AccountId, toAccountId } from '../../platform/accounts/account-id.js';
import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { parseUrl } from '../../platform/contract/outside-text.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { accountScope, allAccounts, withScope } from '../../platform/database/scope.js';
import { isOpenIdScope } from '../scopes.js';
import type { Application, Client } from './client-registry.js';
import { isMetadataDocumentUrl } from './metadata-document.js';

/** An application in an account that has approved it, but has not registered it. */
export interface Installation extends Application {
  readonly installation: string;
  /** Whether it must be approved again. Its tokens are rejected. */
  readonly suspended: boolean;
  /** What the account approved. */
  readonly approved: ApprovedState;
}

interface ApprovedState {
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The scopes that the application could request. */
  readonly requestedScopes: readonly string[];
  /** The attributes of employees that it may read. */
  readonly readableAttributes: readonly string[];
}

/** Who offers an application to other accounts: the account that has published it, or the host of its metadata document. */
export type Publisher =
  | { readonly kind: 'account'; readonly name: string }
  | { readonly kind: 'host'; readonly host: string };

/** For example "Published by Globex" or "From app.example.com". */
export function describePublisher(publisher: Publisher): string {
  return publisher.kind === 'account' ? `Published by ${publisher.name}` : `From ${publisher.host}`;
}

/** A secret that was issued to an application, by its hash. */
export type IssuedSecret =
  | { readonly kind: 'code'; readonly hash: Buffer }
  | { readonly kind: 'refresh_token'; readonly hash: Buffer };

interface Row extends ApprovedState {
  readonly id: string;
  readonly accountId: string;
  readonly internalId: string;
  readonly isInstallation: boolean;
  readonly scopes: readonly string[];
  readonly tokenGeneration: number;
  readonly suspended: boolean;
  readonly developmentAllowed: boolean;
}

const selection = Prisma.sql`
  SELECT application.id, application.account_id AS "accountId", application.client_id AS "internalId", application.name,
    application.redirect_uris AS "redirectUris", application.requested_scopes AS "requestedScopes", application.scopes,
    application.readable_attributes AS "readableAttributes",
    application.token_generation AS "tokenGeneration", application.installed_client_id IS NOT NULL AS "isInstallation",
    application.suspended_at IS NOT NULL AS suspended, accounts.development_allowed AS "developmentAllowed"
  FROM applications application JOIN accounts ON accounts.id = application.account_id`;

/** The installations of applications in accounts that have not registered them. */
export class Installations {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  /** The installation of a client in an account; `null` when the account has not approved it. */
  async find(accountId: AccountId, client: Client): Promise<Installation | null> {
    const [row] = await withScope(
      accountScope(accountId),
      () => this.#prisma.$queryRaw<Row[]>`
        ${selection}
        WHERE application.account_id = ${accountId} AND application.installed_client_id = ${client.clientId}`,
    );
    return row === undefined ? null : toInstallation(row, client);
  }

  /**
   * The application of a client in the account in which a code or refresh token was issued. It reads all accounts, because the
   * account is not known yet.
   *
   * @returns `null` for a secret that is unknown or was issued to another client
   */
  findBySecret(
    { kind, hash }: IssuedSecret,
    client: Client,
  ): Promise<(Application & { readonly suspended: boolean }) | null> {
    const issued =
      kind === 'code'
        ? Prisma.sql`SELECT account_id, application_id FROM authorization_codes WHERE code_hash = ${hash}`
        : Prisma.sql`
            SELECT grants.account_id, grants.application_id
            FROM refresh_tokens token
            JOIN grants ON grants.account_id = token.account_id AND grants.id = token.grant_id
            WHERE token.token_hash = ${hash}`;
    return this.#findInAnyAccount(
      Prisma.sql`(application.account_id, application.id) IN (${issued})`,
      client,
    );
  }

  /** The installation of a client with this internal id; `null` when there is none. */
  findByInternalId(internalId: string, client: Client): Promise<Application | null> {
    return this.#findInAnyAccount(Prisma.sql`application.client_id = ${internalId}`, client);
  }

  async #findInAnyAccount(
    condition: Prisma.Sql,
    client: Client,
  ): Promise<(Application & { readonly suspended: boolean }) | null> {
    const { clientId } = client;
    const [row] = await withScope(
      allAccounts,
      () => this.#prisma.$queryRaw<Row[]>`
        ${selection}
        WHERE ${condition} AND (application.client_id = ${clientId} OR application.installed_client_id = ${clientId})`,
    );
    if (row === undefined) return null;
    if (row.isInstallation) return toInstallation(row, client);
    const { id, tokenGeneration } = row;
    const accountId = toAccountId(row.accountId);
    return { ...client, id, accountId, tokenGeneration, installation: null, suspended: false };
  }

  /**
   * Who offers the application with this `client_id`. The name of the publisher is all that other accounts see of it. It reads all
   * accounts, because the publisher is another one.
   *
   * @returns `null` when other accounts cannot use the application
   */
  async publisher(clientId: string): Promise<Publisher | null> {
    if (isMetadataDocumentUrl(clientId)) return { kind: 'host', host: parseUrl(clientId)?.host ?? clientId };
    const [account] = await withScope(
      allAccounts,
      () => this.#prisma.$queryRaw<{ name: string }[]>`
        SELECT accounts.name FROM shared_applications shared
        JOIN accounts ON accounts.id = shared.publisher_account_id
        WHERE shared.client_id = ${clientId}`,
    );
    return account === undefined ? null : { kind: 'account', name: account.name };
  }

  /**
   * Suspends an installation, because the application is no longer what was approved. Its tokens are rejected from then on, in
   * every process.
   */
  suspend(
    { id: applicationId, accountId, name }: Installation,
    {
      userId,
      origin,
      at,
      changes,
    }: { userId: string; origin: AuditOrigin; at: Date; changes: ApprovalChanges },
  ): Promise<void> {
    const context = { accountId, applicationId, userId, origin, at };
    return change(this.#prisma, context, lock.application, async (unit, stored) => {
      if (stored === null) return;
      const { count } = await unit.tx.application.updateMany({
        where: { accountId, id: applicationId, suspendedAt: null, NOT: { installedClientId: null } },
        data: { suspendedAt: at, updatedAt: at },
      });
      if (count > 0) await unit.record('application.suspended', { name, ...auditDetails(changes) });
    });
  }
}

function toInstallation(row: Row, client: Client): Installation {
  const { id, internalId, name, redirectUris, requestedScopes, scopes, readableAttributes } = row;
  const { tokenGeneration, suspended } = row;
  return {
    ...client,
    id,
    accountId: toAccountId(row.accountId),
    installation: internalId,
    scopes: scopes.filter((scope) => client.scopes.includes(scope)),
    tokenGeneration,
    stage: client.stage === 'development' && !row.developmentAllowed ? 'forbidden' : client.stage,
    suspended,
    approved: { name, redirectUris, requestedScopes, readableAttributes },
  };
}

/** What has changed in an application since an account approved it. */
export interface ApprovalChanges {
  /** The name that was approved. */
  readonly formerName?: string;
  readonly newHosts: readonly string[];
  readonly newScopes: readonly string[];
}

/** Compares an application with what was approved; `null` when nothing has changed that the account must approve. */
export function changesSinceApproval(client: Client, approved: ApprovedState): ApprovalChanges | null {
  const approvedHosts = redirectHosts(approved.redirectUris);
  const newHosts = redirectHosts(client.redirectUris).filter((host) => !approvedHosts.includes(host));
  // Documents listed the scopes of OpenID Connect before this server had them. An installation cannot use those that were not
  // approved.
  const newScopes = client.declaredScopes.filter(
    (scope) => !approved.requestedScopes.includes(scope) && !isOpenIdScope(scope),
  );
  const isRenamed = client.name !== approved.name;
  if (!isRenamed && newHosts.length === 0 && newScopes.length === 0) return null;
  return { newHosts, newScopes, ...(isRenamed && { formerName: approved.name }) };
}

/** The hosts of redirect URIs, each once, with a port that is not the default. */
export function redirectHosts(redirectUris: readonly string[]): string[] {
  return [...new Set(redirectUris.map((uri) => parseUrl(uri)?.host ?? uri))];
}

function auditDetails({ formerName, newHosts, newScopes }: ApprovalChanges) {
  return {
    ...(formerName !== undefined && { approved_name: formerName }),
    ...(newHosts.length > 0 && { redirect_hosts_added: newHosts }),
    ...(newScopes.length > 0 && { scopes_added: newScopes }),
  };
}
