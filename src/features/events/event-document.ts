import { contractAttributes } from '../../platform/contract/employee-attributes.js';
import { eventId } from './event-id.js';
import type { EventRow } from './event-statements.js';

/** Who made a change. */
interface ActorDocument {
  readonly type: string;
  readonly client_id: string | null;
  readonly user_id: string | null;
}

/** An event as the schema `Event` of the contract describes it. */
export interface EventDocument {
  readonly id: string;
  readonly type: string;
  readonly occurred_at: string;
  readonly actor: ActorDocument;
  readonly resource: {
    readonly id: string;
    readonly type: string;
    readonly attributes: Record<string, unknown> | null;
  };
  readonly changed: string[];
}

/**
 * Builds the document of an event.
 *
 * @param clientIds client ids of applications by id; one that was deleted is missing
 */
export function toEventDocument(
  accountId: string,
  event: EventRow,
  clientIds: ReadonlyMap<string, string>,
): EventDocument {
  const { userId, applicationId } = event;
  const [resource = ''] = event.type.split('.');
  return {
    id: eventId(accountId, event.position),
    type: event.type,
    occurred_at: event.occurredAt.toISOString(),
    actor: {
      type: actorType(event),
      client_id: applicationId === null ? null : (clientIds.get(applicationId) ?? null),
      user_id: userId,
    },
    resource: {
      id: event.resourceId,
      type: `${resource}s`,
      attributes: event.attributes === null ? null : attributesOf(event.type, event.attributes),
    },
    changed: [...event.changed],
  };
}

function actorType({ userId, applicationId }: EventRow): string {
  if (userId !== null) return 'user';
  return applicationId === null ? 'operator' : 'application';
}

/** Attributes as the resource has them. An attribute that was added after the event is `null`. */
function attributesOf(type: string, stored: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isWholeEmployee = type === 'employee.created' || type === 'employee.updated';
  const names = isWholeEmployee ? contractAttributes.map(({ name }) => name) : Object.keys(stored);
  return Object.fromEntries(names.map((name) => [name, toContractValue(name, stored[name] ?? null)]));
}

/** PostgreSQL writes timestamps in another form of RFC 3339. */
function toContractValue(name: string, value: unknown): unknown {
  return name.endsWith('_at') && typeof value === 'string' ? new Date(value).toISOString() : value;
}
