import type { Core } from '../../platform/core.js';
import { EventFeed } from './event-feed.js';
import { EventHandlers } from './event-handlers.js';

export { findStart } from './event-feed.js';
export { eventsExpired } from './event-handlers.js';
export { eventId, eventPosition, writeEventList } from './event-list.js';
export { eventPage, maximumPageEvents } from './event-statements.js';
export { readableTypes } from './readable-types.js';

/** Creates the handlers of the feed of changes. */
export function createEventHandlers({ config, database, clock }: Core): EventHandlers {
  const feed = new EventFeed(database, { clock, retentionDays: config.eventRetentionDays });
  return new EventHandlers(feed, config.baseUrl);
}
