import type { AccountId } from '../../platform/accounts/account-id.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { requestedId } from '../../platform/pages/fields.js';
import type { PageContext } from '../../platform/pages/page-context.js';
import { found } from '../../platform/problems/problem.js';
import { liveGrant } from '../grants/grants.js';
import type { ApplicationSettings } from './application-settings.js';
import type { ClientKeys } from './client-keys.js';
import type { ClientType } from './client-registry.js';

export interface ApplicationSummary extends ApplicationSettings {
  readonly id: string;
  readonly clientId: string;
  /** Whether the account has approved it, and has not registered it. */
  readonly isInstallation: boolean;
  /** Since when an installation must be approved again; `null` when it can be used. */
  readonly suspendedAt: Date | null;
  /** Of an installation: the scopes that can be approved. */
  readonly requestedScopes: readonly string[];
  /** Whether other accounts can use an application of this account. */
  readonly isPublished: boolean;
  readonly clientType: ClientType;
  readonly createdAt: Date;
  /** Number of users with a live grant to the application. */
  readonly connectedUsers: number;
  /** Time at which the last token was issued; `null` when there is none. */
  readonly lastTokenAt: Date | null;
}

/** A secret, without its value. */
export interface SecretSummary {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  /** The last four characters of the value; `null` for a secret of an earlier version. */
  readonly lastCharacters: string | null;
  /** From this time on the secret is rejected; `null` when it never expires. */
  readonly expiresAt: Date | null;
}

export interface ApplicationDetails extends ApplicationSummary, ClientKeys {
  /** Name of the user who registered it; `null` when the user no longer exists. */
  readonly createdBy: string | null;
  /** Oldest first. */
  readonly secrets: readonly SecretSummary[];
}

export interface ApplicationReader {
  /** The account's application with this id; `null` when there is none, or it is another account's. */
  get(accountId: AccountId, options: { id: string; now: Date }): Promise<ApplicationDetails | null>;
}

/** Finds the account's application or installation with this `client_id`; `null` when there is none, or it is another account's. */
export function findApplication(
  { prisma }: Pick<Database, 'prisma'>,
  accountId: AccountId,
  clientId: string,
): Promise<{ readonly id: string; readonly name: string } | null> {
  return prisma.application.findFirst({
    where: { accountId, OR: [{ clientId, installedClientId: null }, { installedClientId: clientId }] },
    select: { id: true, name: true },
  });
}

/** Select list over `applications` that yields an {@link ApplicationSummary}. */
export function summarySelection(now: Date): Prisma.Sql {
  return Prisma.sql`
    applications.id, coalesce(applications.installed_client_id, applications.client_id) AS "clientId",
    applications.installed_client_id IS NOT NULL AS "isInstallation", applications.suspended_at AS "suspendedAt",
    applications.requested_scopes AS "requestedScopes",
    EXISTS (SELECT FROM shared_applications shared
            WHERE shared.publisher_account_id = applications.account_id
              AND shared.application_id = applications.id) AS "isPublished",
    applications.client_type AS "clientType",
    applications.name, applications.redirect_uris AS "redirectUris",
    applications.post_logout_redirect_uris AS "postLogoutRedirectUris", applications.scopes,
    applications.readable_attributes AS "readableAttributes",
    applications.require_client_secret AS "requireClientSecret",
    applications.require_proof_of_possession AS "requireProofOfPossession",
    applications.require_pushed_requests AS "requirePushedRequests", applications.in_development AS "inDevelopment",
    applications.backchannel_logout_uri AS "backchannelLogoutUri",
    applications.created_at AS "createdAt",
    (SELECT count(DISTINCT user_id)::int FROM grants
     WHERE grants.account_id = applications.account_id AND grants.application_id = applications.id
       AND ${liveGrant(now)}) AS "connectedUsers",
    GREATEST(
      (SELECT max(last_used_at) FROM application_secrets secret
       WHERE secret.account_id = applications.account_id AND secret.application_id = applications.id),
      (SELECT max(token.created_at) FROM grants
         JOIN refresh_tokens token ON token.account_id = grants.account_id AND token.grant_id = grants.id
       WHERE grants.account_id = applications.account_id AND grants.application_id = applications.id)
    ) AS "lastTokenAt"`;
}

/**
 * The application that the path identifies.
 *
 * @throws {Problem} 404 `not_found` when the account has no application with this id
 */
export async function requestedApplication(
  context: PageContext,
  { applications }: { readonly applications: ApplicationReader },
): Promise<ApplicationDetails> {
  const { accountId, at: now } = context.auditContext;
  return found(await applications.get(accountId, { id: requestedId(context), now }));
}
