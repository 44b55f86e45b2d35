import {
  actorText,
  clientOfAccount,
  clientsOfAccount,
  eventIdText,
  quoted,
} from '../../platform/changes/event-texts.js';
import {
  type AccessShape,
  forEachShape,
  hiddenKeys,
  isReadableKey,
  isRestricted,
  statementName,
} from '../../platform/contract/attribute-access.js';
import { type ContractAttribute, contractAttributes } from '../../platform/contract/employee-attributes.js';
import type { PreparedStatement, ReadDatabase } from '../../platform/database/client.js';
import { defineLookup, timestampText } from '../../platform/database/define-lookup.js';
import { allAccounts } from '../../platform/database/scope.js';
import type { EventTypes } from './readable-types.js';

/** What the reader of an event may read. */
interface Reader extends AccessShape {
  /** SQL expressions for `AttributeAccess.keys`, and for the keys of the other custom attributes. */
  readonly keys: string;
  readonly hidden: string;
}

/** Attributes of an employee that the reader may read. One that was added after the event is `null`. The stored object is read once. */
function employeeAttributes(reader: Reader): string {
  const readable = contractAttributes.filter(({ name }) => !isRestricted(name, reader));
  const columns = readable.map(({ name, type }) => `${name} ${type === 'timestamptz' ? type : 'json'}`);
  const custom = reader.readsCustom
    ? `,"custom":' || coalesce((stored.custom - ${reader.hidden})::text, '{}') || '`
    : '';
  return `(
  SELECT '{${readable.map(member).join(',')}${custom}}'
  FROM json_to_record(events.attributes) AS stored (
    ${[...columns, ...(reader.readsCustom ? ['custom jsonb'] : [])].join(', ')}))`;
}

/** Condition that the reader may read an attribute that an event names. */
function isReadableName(name: string, { restricted, readsCustom, keys, hidden }: Reader): string {
  const key = `substr(${name}, ${'custom.'.length + 1})`;
  const isCustom = `starts_with(${name}, 'custom.')`;
  const isReadable = readsCustom
    ? `(NOT ${isCustom} OR ${key} <> ALL (${hidden}) AND ${isReadableKey(key, keys)})`
    : `NOT ${isCustom}`;
  return restricted.length === 0
    ? isReadable
    : `${name} <> ALL ('{${restricted}}'::text[]) AND ${isReadable}`;
}

/** The names of the attributes that the event changed and that the reader may read, as an array of JSON. */
function readableChanges(reader: Reader): string {
  const readable = `to_json(ARRAY(
    SELECT name FROM unnest(events.changed) WITH ORDINALITY AS change (name, place)
    WHERE ${isReadableName('name', reader)} ORDER BY place))`;
  if (reader.restricted.length > 0) return readable;
  // Custom attributes are last.
  return `CASE WHEN starts_with(events.changed[cardinality(events.changed)], 'custom.') THEN ${readable}
    ELSE to_json(events.changed) END`;
}

/** Condition that the event is not only a change of attributes that the reader may not read, or that were deleted. */
function isReadable(reader: Reader): string {
  const hasReadable = `EXISTS (SELECT FROM unnest(events.changed) AS name WHERE ${isReadableName('name', reader)})`;
  // Custom attributes are last.
  const isOfContract = `starts_with(events.changed[1], 'custom.') IS FALSE`;
  const alternatives = [
    ...(reader.restricted.length === 0 ? [isOfContract] : []),
    ...(reader.restricted.length > 0 || reader.readsCustom ? [hasReadable] : []),
  ];
  return `AND (events.type <> 'employee.updated' OR ${alternatives.join(' OR ')})`;
}

/** A member within a text constant of SQL. */
function member({ name, type }: ContractAttribute): string {
  const column = `stored.${name}`;
  const value = type === 'timestamptz' ? quoted(timestampText(column)) : `${column}::text`;
  return `"${name}":' || coalesce(${value}, 'null') || '`;
}

/** The stored attributes of other events. PostgreSQL stores timestamps in another form of RFC 3339. */
const storedAttributes = `(
  SELECT '{' || coalesce(string_agg(${quoted('name')} || ':' || CASE
      WHEN right(name, 3) = '_at' AND json_typeof(value) = 'string'
      THEN ${quoted(timestampText("(value #>> '{}')::timestamptz"))} ELSE value::text END, ',' ORDER BY number), '') || '}'
  FROM json_each(events.attributes) WITH ORDINALITY AS member (name, value, number))`;

/**
 * SQL expression for an event of the table `events` as JSON text, as the schema `Event` of the contract describes it. The
 * database writes it, because that costs the server less than reading the columns and writing it itself.
 *
 * @param clientId expression for the client id of the application of the event
 */
function eventDocument(clientId: string, reader: Reader): string {
  return `
    '{"id":"' || ${eventIdText} || '","type":"' || events.type
    || '","occurred_at":"' || ${timestampText('events.occurred_at')} || '","actor":' || ${actorText(clientId)}
    || ',"resource":{"id":' || ${quoted('events.resource_id')}
    || ',"type":"' || split_part(events.type, '.', 1) || 's","attributes":' || CASE
      WHEN events.attributes IS NULL THEN 'null'
      WHEN events.type IN ('employee.created', 'employee.updated') THEN ${employeeAttributes(reader)}
      ELSE ${storedAttributes} END
    || '},"changed":' || (${readableChanges(reader)})::text || '}'`;
}

/**
 * Events of an account as JSON, with their positions. Parameters: the account, the position before the first one, the last
 * position, the types as {@link typesParameter} writes them, and the maximum number; then for a reader of custom attributes their
 * keys as `AttributeAccess.keys` has them.
 */
export const accountEvents = forEachShape((shape): PreparedStatement => {
  const reader = { ...shape, keys: '$6', hidden: '(SELECT keys FROM hidden)::text[]' };
  const hidden = `, hidden AS MATERIALIZED (${hiddenKeys('$1', '$6')})`;
  const text = `
    WITH ${clientsOfAccount}${shape.readsCustom ? hidden : ''}
    SELECT events.position::text AS position, ${eventDocument(clientOfAccount, reader)} AS document
    FROM events
    WHERE events.account_id = $1 AND events.position > $2::bigint AND events.position <= $3::bigint
      AND ($4 = '*' OR events.type = ANY (string_to_array($4, ',')))
      ${isReadable(reader)}
    ORDER BY events.position LIMIT $5::bigint`;
  return { name: statementName('account_events', shape), text };
});

/** The types of events as a parameter: separated by commas, or `*` for all. An empty text matches no event. */
export function typesParameter(types: EventTypes): string {
  return types === null ? '*' : types.join();
}

/** Maximum number of events of a page that is delivered to a webhook endpoint. */
export const maximumPageEvents = 100;

/** Events of an account after a position. */
interface EventPageKey {
  readonly accountId: string;
  readonly after: bigint;
  /** Position of the last event that is read. */
  readonly until: bigint;
  readonly types: EventTypes;
  /** Events before this time are no longer kept. */
  readonly cutoff: Date;
  /** Keys of custom attributes as `AttributeAccess.keys` has them. */
  readonly keys: string;
}

interface EventPage {
  /** Position of the last event of the feed. */
  readonly end: bigint;
  /** Whether the event after the position is kept; `null`: there is none. */
  readonly isKept: boolean | null;
  /** Events as JSON, separated by commas. */
  readonly documents: string;
  readonly count: number;
  /** Position of the last one; `null`: there are none. */
  readonly last: bigint | null;
}

type EventPageRow = Readonly<
  Record<'end' | 'count', string> & Record<'isKept' | 'documents' | 'last', string | null>
>;

/**
 * The page of a request. The first event is read with ORDER BY and LIMIT 1: with a condition on its position, the planner
 * may read the index of times, which has the position as its last column.
 *
 * @param request expressions for the columns of a request, and for the client id of the application of an event
 */
function pageOf(
  {
    client,
    ...request
  }: Record<'account' | 'first' | 'until' | 'types' | 'cutoff' | 'keys' | 'client', string>,
  shape: AccessShape,
) {
  const reader = { ...shape, keys: request.keys, hidden: 'hidden.keys' };
  const hidden = `CROSS JOIN LATERAL (${hiddenKeys(request.account, request.keys)}) AS hidden`;
  return `
    SELECT totals.events::text AS end, first_event.is_kept::text AS "isKept", page.documents, page.count::text AS count,
      page.last::text AS last
    FROM account_totals AS totals ${shape.readsCustom ? hidden : ''}
    LEFT JOIN LATERAL (
      SELECT events.position = ${request.first} AND events.occurred_at >= ${request.cutoff}::timestamptz AS is_kept
      FROM events
      WHERE events.account_id = ${request.account} AND events.position >= ${request.first}
      ORDER BY events.position LIMIT 1
    ) AS first_event ON true
    CROSS JOIN LATERAL (
      SELECT string_agg(document, ',' ORDER BY position) AS documents, count(*) AS count, max(position) AS last
      FROM (
        SELECT events.position, ${eventDocument(client, reader)} AS document
        FROM events
        WHERE events.account_id = ${request.account}
          AND events.position >= ${request.first} AND events.position <= ${request.until}
          AND (${request.types} = '*' OR events.type = ANY (string_to_array(${request.types}, ',')))
          ${isReadable(reader)}
        ORDER BY events.position LIMIT ${maximumPageEvents}
      ) AS found
    ) AS page
    WHERE totals.account_id = ${request.account}`;
}

/**
 * A page of the feed of an account. It reads all accounts, because pages of several accounts share the statement.
 *
 * Benchmarks `webhook-deliveries-small` and `webhook-deliveries-full` (target: 0.6 times a loop that sends finished bodies);
 * compared with the feed in test/webhooks/delivered-bodies.test.ts.
 */
export function eventPage(database: Pick<ReadDatabase, 'runPrepared' | 'isDistributed'>, shape: AccessShape) {
  const readPage = defineLookup({
    name: statementName('event_page', shape),
    columns: {
      ...{ account_id: 'text', first: 'bigint', until: 'bigint' },
      ...{ types: 'text', cutoff: 'text', keys: 'text' },
    },
    request: ({ accountId, after, until, types, cutoff, keys }: EventPageKey) => ({
      account_id: accountId,
      first: String(after + 1n),
      until: String(until),
      types: typesParameter(types),
      cutoff: cutoff.toISOString(),
      keys,
    }),
    sql: pageOf(
      {
        ...{ account: 'request.account_id', first: 'request.first', until: 'request.until' },
        ...{ types: 'request.types', cutoff: 'request.cutoff', keys: 'request.keys' },
        client: `(SELECT coalesce(installed_client_id, client_id) FROM applications
              WHERE applications.account_id = events.account_id AND applications.id = events.application_id)`,
      },
      shape,
    ),
    toValue: toPage,
    scope: () => allAccounts,
    // Few, because a page can have 50 KB.
    maxBatchSize: 32,
    concurrency: 2,
    distributed: {
      statement: {
        name: statementName('event_page_of_account', shape),
        text: `
        WITH ${clientsOfAccount}
        ${pageOf(
          {
            ...{
              account: '$1',
              first: '$2::bigint',
              until: '$3::bigint',
              types: '$4',
              cutoff: '$5',
              keys: '$6',
            },
            client: clientOfAccount,
          },
          shape,
        )}`,
      },
      values: ({ accountId, after, until, types, cutoff, keys }) => [
        ...[accountId, String(after + 1n), String(until)],
        ...[typesParameter(types), cutoff.toISOString()],
        ...(shape.readsCustom ? [keys] : []),
      ],
      toValue: ([row]: readonly EventPageRow[]) => (row === undefined ? null : toPage(row)),
    },
  });
  return readPage(database);
}

function toPage({ end, isKept, documents, count, last }: EventPageRow): EventPage {
  return {
    end: BigInt(end),
    isKept: isKept === null ? null : isKept === 'true',
    documents: documents ?? '',
    count: Number(count),
    last: last === null ? null : BigInt(last),
  };
}
