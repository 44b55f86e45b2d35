import pg from 'pg';
import type { Prisma } from './client.js';

/** Who makes a change. Both are absent for the operator. */
export interface Actor {
  readonly userId?: string | null | undefined;
  readonly applicationId?: string | null | undefined;
}

/** Sets the actor of the events of a transaction, before its first change. Without it, the operator is the actor. */
export async function setActor(
  tx: Prisma.TransactionClient,
  { userId, applicationId }: Actor,
): Promise<void> {
  if (userId == null && applicationId == null) return;
  const actor = JSON.stringify({ user: userId ?? undefined, application: applicationId ?? undefined });
  // Not set_config: Citus sends only SET LOCAL statements to workers.
  await tx.$executeRawUnsafe(`SET LOCAL app.actor = ${pg.escapeLiteral(actor)}`);
}
