const prefix = 'evt_';
const digits = 8;

/**
 * Returns the id of the event at a position of an account's feed, which is also the cursor of the events after it. Ids of an
 * account sort like positions.
 *
 * @param position from 1; 0 is the cursor of the whole feed
 */
export function eventId(accountId: string, position: bigint): string {
  return `${prefix}${accountId}_${position.toString(36).padStart(digits, '0')}`;
}

/** Returns the position in an event id or a cursor of an account; `null` for other strings. */
export function eventPosition(accountId: string, id: string): bigint | null {
  const start = `${prefix}${accountId}_`;
  const text = id.slice(start.length);
  if (!id.startsWith(start) || !/^[0-9a-z]{8}$/.test(text)) return null;
  return BigInt(Number.parseInt(text, 36));
}
