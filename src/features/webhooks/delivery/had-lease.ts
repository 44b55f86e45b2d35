import type { TextRow } from '../../../platform/database/hot/hot-statement.js';
import type { ClaimedEndpoint } from './claim-endpoints.js';

/** For each endpoint, whether a statement returned it, because it still had its lease. */
export function hadLease(
  rows: readonly TextRow[],
  given: readonly { readonly endpoint: ClaimedEndpoint }[],
): boolean[] {
  const held = new Set(rows.map(([accountId, id]) => `${accountId} ${id}`));
  return given.map(({ endpoint: { accountId, id } }) => held.has(`${accountId} ${id}`));
}
