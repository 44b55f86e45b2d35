import { Prisma } from '../../platform/database/client.js';

/** A stored event. */
export interface EventRow {
  readonly position: bigint;
  readonly type: string;
  readonly occurredAt: Date;
  /** Both are `null` for the operator. */
  readonly userId: string | null;
  readonly applicationId: string | null;
  readonly resourceId: string;
  /** Attributes that an update changed. */
  readonly changed: readonly string[];
  /** By column; `null` when the resource was deleted later. */
  readonly attributes: Readonly<Record<string, unknown>> | null;
}

/** Select list that yields rows of the type {@link EventRow}. */
export const eventSelection = Prisma.sql`
  position, type, occurred_at AS "occurredAt", user_id AS "userId", application_id AS "applicationId",
  resource_id AS "resourceId", changed, attributes`;
