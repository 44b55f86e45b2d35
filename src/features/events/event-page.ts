import { defineLookup } from '../../platform/database/hot/define-lookup.js';
import { allAccounts } from '../../platform/database/scope.js';
import { eventDocument } from './event-document-statement.js';

/** Maximum number of events of a page. */
export const maximumPageEvents = 100;

/** Events of an account after a position. */
export interface EventPageKey {
  readonly accountId: string;
  readonly after: bigint;
  /** Position of the last event that is read. */
  readonly until: bigint;
  /** Types of the events; empty: all. */
  readonly types: readonly string[];
  /** Events before this time are no longer kept. */
  readonly cutoff: Date;
}

export interface EventPageRow {
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

/**
 * The page of a request. The first event is read with ORDER BY and LIMIT 1: with a condition on its position, the planner
 * may read the index of times, which has the position as its last column.
 *
 * @param request expressions for the columns of a request, and for the client id of the application of an event
 */
function pageOf({
  client,
  ...request
}: Record<'account' | 'first' | 'until' | 'types' | 'cutoff' | 'client', string>) {
  return `
    SELECT totals.events::text, first_event.is_kept::text, page.documents, page.count::text, page.last::text
    FROM account_totals AS totals
    LEFT JOIN LATERAL (
      SELECT events.position = ${request.first} AND events.occurred_at >= ${request.cutoff}::timestamptz AS is_kept
      FROM events
      WHERE events.account_id = ${request.account} AND events.position >= ${request.first}
      ORDER BY events.position LIMIT 1
    ) AS first_event ON true
    CROSS JOIN LATERAL (
      SELECT string_agg(document, ',' ORDER BY position) AS documents, count(*) AS count, max(position) AS last
      FROM (
        SELECT events.position, ${eventDocument(client)} AS document
        FROM events
        WHERE events.account_id = ${request.account}
          AND events.position >= ${request.first} AND events.position <= ${request.until}
          AND (${request.types} = '' OR events.type = ANY (string_to_array(${request.types}, ',')))
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
export const eventPage = defineLookup<
  EventPageKey,
  'account_id' | 'first' | 'until' | 'types' | 'cutoff',
  EventPageRow
>({
  name: 'event_page',
  columns: { account_id: 'text', first: 'bigint', until: 'bigint', types: 'text', cutoff: 'text' },
  request: ({ accountId, after, until, types, cutoff }) => ({
    account_id: accountId,
    first: String(after + 1n),
    until: String(until),
    types: types.join(),
    cutoff: cutoff.toISOString(),
  }),
  sql: pageOf({
    ...{ account: 'request.account_id', first: 'request.first', until: 'request.until' },
    ...{ types: 'request.types', cutoff: 'request.cutoff' },
    client: `(SELECT client_id FROM applications
              WHERE applications.account_id = events.account_id AND applications.id = events.application_id)`,
  }),
  toValue: toPage,
  scope: () => allAccounts,
  // Few, because a page can have 50 KB.
  maximum: 32,
  atOnce: 2,
  distributed: {
    statement: {
      name: 'event_page_of_account',
      // Applications are on the coordinator, and are not joined with events.
      text: `
        WITH clients AS MATERIALIZED (
          SELECT json_object_agg(id, client_id) AS by_id FROM applications WHERE account_id = $1)
        ${pageOf({
          ...{ account: '$1', first: '$2::bigint', until: '$3::bigint', types: '$4', cutoff: '$5' },
          client: '(SELECT by_id FROM clients) ->> events.application_id',
        })}`,
    },
    values: ({ accountId, after, until, types, cutoff }) => [
      ...[accountId, String(after + 1n), String(until)],
      ...[types.join(), cutoff.toISOString()],
    ],
    toValue: ([row]) => (row === undefined ? null : toPage(row)),
  },
});

function toPage([end, isKept, documents, count, last]: readonly (string | null)[]): EventPageRow {
  return {
    end: BigInt(end ?? 0),
    isKept: isKept == null ? null : isKept === 'true',
    documents: documents ?? '',
    count: Number(count),
    last: last == null ? null : BigInt(last),
  };
}
