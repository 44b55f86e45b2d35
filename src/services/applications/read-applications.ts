import { type Database, Prisma } from '../../database/client.js';
import type { AccountId } from '../account-id.js';
import { liveGrant } from '../grants.js';
import type { ApplicationSettings } from './application-settings.js';
import type { ClientType } from './client-registry.js';

/** An application, as a list of them shows it. */
export interface ApplicationSummary extends ApplicationSettings {
  readonly id: string;
  readonly clientId: string;
  readonly clientType: ClientType;
  readonly createdAt: Date;
  /** Users who allowed it something that is still in force. */
  readonly connectedUsers: number;
  /** When it last got a token; `null`: never. */
  readonly lastTokenAt: Date | null;
}

/** A secret, as far as anybody may still see it. */
export interface SecretSummary {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface ApplicationDetails extends ApplicationSummary {
  /** Name of whoever registered it; `null` when that is not known any more. */
  readonly createdBy: string | null;
  /** Oldest first. */
  readonly secrets: readonly SecretSummary[];
}

function selection(now: Date): Prisma.Sql {
  return Prisma.sql`
    applications.id, applications.client_id AS "clientId", applications.client_type AS "clientType",
    applications.name, applications.redirect_uris AS "redirectUris", applications.scopes,
    applications.require_client_secret AS "requireClientSecret",
    applications.created_at AS "createdAt",
    (SELECT count(DISTINCT user_id)::int FROM grants
     WHERE grants.application_id = applications.id AND ${liveGrant(now)}) AS "connectedUsers",
    GREATEST(
      (SELECT max(last_used_at) FROM application_secrets WHERE application_id = applications.id),
      (SELECT max(token.created_at) FROM grants JOIN refresh_tokens token ON token.grant_id = grants.id
       WHERE grants.application_id = applications.id)
    ) AS "lastTokenAt"`;
}

/** A page of the account's applications, by name, and how many there are. */
export async function listApplications(
  { prisma }: Database,
  accountId: AccountId,
  { skip, size, now }: { skip: number; size: number; now: Date },
): Promise<{ applications: readonly ApplicationSummary[]; count: number }> {
  const [applications, count] = await Promise.all([
    prisma.$queryRaw<ApplicationSummary[]>`
      SELECT ${selection(now)} FROM applications WHERE applications.account_id = ${accountId}
      ORDER BY lower(applications.name), applications.id LIMIT ${size} OFFSET ${skip}`,
    prisma.application.count({ where: { accountId } }),
  ]);
  return { applications, count };
}

/** The account's application with this `client_id`; `null` when there is none, or it is another account's. */
export function findApplicationOfClient(
  { prisma }: Database,
  accountId: AccountId,
  clientId: string,
): Promise<{ readonly id: string } | null> {
  return prisma.application.findFirst({ where: { accountId, clientId }, select: { id: true } });
}

/** The account's application with this id; `null` when there is none, or it is another account's. */
export async function getApplication(
  { prisma }: Database,
  accountId: AccountId,
  { id, now }: { id: string; now: Date },
): Promise<ApplicationDetails | null> {
  const [row] = await prisma.$queryRaw<Omit<ApplicationDetails, 'secrets'>[]>`
    SELECT ${selection(now)}, creator.given_name || ' ' || creator.family_name AS "createdBy"
    FROM applications
    LEFT JOIN users creator ON creator.id = applications.created_by_id AND creator.account_id = ${accountId}
    WHERE applications.id = ${id} AND applications.account_id = ${accountId}`;
  if (row === undefined) return null;
  const secrets = await prisma.applicationSecret.findMany({
    where: { application: { id, accountId } },
    select: { id: true, createdAt: true, lastUsedAt: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return { ...row, secrets };
}
