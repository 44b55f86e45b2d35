import type { Actor } from '../audit/audit-log.js';
import type { ReadDatabase } from '../database/client.js';
import type { AccountId } from './account-id.js';
import { userName } from './user.js';

/** The names of users and applications that still exist, by id. */
interface ActorNames {
  readonly users: ReadonlyMap<string, { readonly name: string; readonly email: string }>;
  readonly applications: ReadonlyMap<string, string>;
}

/**
 * Reads the names of the users and applications of an account. Separate from the records, because both are in two groups of
 * tables, which a distributed database does not join.
 */
export async function readActorNames(
  { prisma }: Pick<ReadDatabase, 'prisma'>,
  accountId: AccountId,
  actors: readonly Required<Actor>[],
): Promise<ActorNames> {
  const [users, applications] = await Promise.all([
    prisma.user.findMany({
      where: { accountId, id: { in: distinct(actors.map(({ userId }) => userId)) } },
      select: { id: true, givenName: true, familyName: true, email: true },
    }),
    prisma.application.findMany({
      where: { accountId, id: { in: distinct(actors.map(({ applicationId }) => applicationId)) } },
      select: { id: true, name: true },
    }),
  ]);
  return {
    users: new Map(users.map((user) => [user.id, { name: userName(user), email: user.email }])),
    applications: new Map(applications.map(({ id, name }) => [id, name])),
  };
}

function distinct(ids: readonly (string | null | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => id != null))];
}
