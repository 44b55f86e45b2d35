export type { EventDocument } from './event-document.js';
export { findStart } from './event-feed.js';
export { eventsExpired } from './event-handlers.js';
export { eventId, eventPosition } from './event-id.js';
export { toEventList, writeEventList } from './event-list.js';
export { eventPage, maximumPageEvents } from './event-statements.js';
