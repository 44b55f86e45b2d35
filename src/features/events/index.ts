export type { EventDocument } from './event-document.js';
export { eventId, eventPosition } from './event-id.js';
export { toEventList, writeEventList } from './event-list.js';
export { eventPage, maximumPageEvents } from './event-page.js';
export { eventsExpired } from './events-expired.js';
export { findStart } from './feed-start.js';
