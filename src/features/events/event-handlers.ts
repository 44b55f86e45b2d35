import type { AccountId } from '../../platform/accounts/account-id.js';
import { withRestricted } from '../../platform/contract/attribute-access.js';
import type { components } from '../../platform/contract/generated.js';
import type { Handlers, Input, JsonText, Output } from '../../platform/http/binding/handlers.js';
import { defaultPageSize, parseTimestamp } from '../../platform/http/pagination.js';
import type { Principal } from '../../platform/http/principal.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { Problem, recordNotFound } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';
import type { EventFeed, FeedRequest } from './event-feed.js';
import { eventPosition, toEventList } from './event-list.js';
import { readableTypes } from './readable-types.js';

/** 410 `events_expired`. `subject` is the start of the sentence. */
export function eventsExpired(subject: string): Problem {
  const remedy = 'Start again with filter[since] and list all records.';
  return new Problem('events_expired', `${subject} no longer kept. ${remedy}`);
}

type Schemas = components['schemas'];
type ListQuery = Input<'listEvents'>['query'];

export class EventHandlers implements Pick<Handlers, 'listEvents' | 'getEvent'> {
  readonly #feed: EventFeed;
  readonly #baseUrl: string;

  constructor(feed: EventFeed, baseUrl: string) {
    this.#feed = feed;
    this.#baseUrl = baseUrl;
  }

  /** @throws {Problem} 400 `invalid_request`, 410 `events_expired` */
  async listEvents({ caller, query }: Input<'listEvents'>): Promise<Output<'listEvents'>> {
    const { accountId, access } = caller;
    const types = readableTypes(query['filter[type]']?.split(',') ?? [], readsReports(caller));
    const size = query['page[size]'] ?? defaultPageSize;
    const outcome = await this.#feed.page(accountId, {
      start: readStart(accountId, query),
      size,
      types,
      access,
    });
    if (outcome.kind === 'not_found') throw unknownCursor();
    if (outcome.kind === 'expired') throw eventsExpired('The events after page[after] are');
    const parameters = Object.fromEntries(
      (['page[size]', 'filter[type]'] as const).flatMap((name) => {
        const value = query[name];
        return value === undefined ? [] : [[name, String(value)]];
      }),
    );
    const page = { ...outcome, accountId, documents: outcome.events.join(), parameters, access };
    const body = toEventList(this.#baseUrl, page) as JsonText<Schemas['EventList']>;
    return { status: 200, records: outcome.events.length, body };
  }

  /** @throws {Problem} 404 `not_found`, 410 `events_expired` */
  async getEvent({ caller, params }: Input<'getEvent'>): Promise<Output<'getEvent'>> {
    const { accountId, access } = caller;
    const position = eventPosition(accountId, params.event_id);
    if (position === null || position === 0n) throw recordNotFound();
    const outcome = await this.#feed.find(accountId, position, {
      types: readableTypes([], readsReports(caller)),
      access,
    });
    if (outcome.kind === 'not_found') throw recordNotFound();
    if (outcome.kind === 'expired') throw eventsExpired('The event is');
    const body = withRestricted(`{"data":${outcome.event}}`, access) as JsonText<{
      data: Schemas['Event'];
    }>;
    return { status: 200, records: 1, body };
  }
}

function readsReports({ scopes }: Principal): boolean {
  return scopes.has('reports:read');
}

/** Start of the page. Default: the oldest event that is kept. */
function readStart(accountId: AccountId, query: ListQuery): FeedRequest['start'] {
  const after = query['page[after]'];
  const given = query['filter[since]'];
  const since = given === undefined ? undefined : parseTimestamp(given);
  if (after === undefined) return { since: since ?? new Date(0) };
  if (since !== undefined)
    throw invalidParameter('filter[since]', violation('not_with', { other: 'page[after]' }));
  const position = eventPosition(accountId, after);
  if (position === null) throw unknownCursor();
  return { after: position };
}

function unknownCursor(): Problem {
  return invalidParameter('page[after]', violation('account_cursor'));
}
