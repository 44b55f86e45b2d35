import { roles } from '../../platform/accounts/user.js';
import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/client.js';
import type { HotStatement } from '../../platform/database/hot/hot-statement.js';
import { randomId } from '../../platform/database/ids.js';
import { accountScope } from '../../platform/database/scope.js';
import type { Application } from '../clients/client-registry.js';
import { mayGrant } from '../grantable-scopes.js';
import { parseScope } from '../scopes.js';
import { findUsableTokens, rotateLockedToken, rotateUnlockedTokens } from './rotate-refresh-tokens.js';

export interface RotationSettings {
  readonly clock: Clock;
  readonly refreshTokenTtlSeconds: number;
}

export interface RotationRequest {
  readonly tokenHash: Buffer<ArrayBuffer>;
  readonly successorHash: Buffer<ArrayBuffer>;
  /** Requested scopes of the access token; absent: the granted ones. */
  readonly requested: readonly string[] | undefined;
  readonly application: Application;
  readonly origin: AuditOrigin;
}

export interface Rotated {
  readonly grantId: string;
  readonly userId: string;
  /**
   * Scopes of the access token: the requested or else the granted ones, without those that the application is no longer
   * configured with or that the user may no longer grant.
   */
  readonly scopes: readonly string[];
}

/** Result of one request of a shared statement. `locked`: another transaction has locked the token. */
export type RotationOutcome = Rotated | 'locked' | undefined;

/**
 * Rotates tokens in one statement, without waiting for another transaction.
 *
 * @returns the outcome of each request, in their order; `undefined` when the token cannot be used and was not changed
 */
export async function rotateTogether(
  database: Database,
  settings: RotationSettings,
  requests: readonly RotationRequest[],
): Promise<(RotationOutcome | Error)[]> {
  const rotated = await rotate(rotateUnlockedTokens, database, settings, requests);
  const others = requests.filter((_, index) => rotated[index] === undefined);
  if (others.length === 0) return rotated;
  try {
    const usable = await findUsable(database, settings, others);
    return requests.map((request, index) => rotated[index] ?? (usable.has(request) ? 'locked' : undefined));
  } catch (error) {
    // The first statement is committed, so its rotations are returned.
    return rotated.map((outcome) => outcome ?? (error as Error));
  }
}

/** Rotates one token, and waits for a transaction that has locked it. */
export async function rotateLocked(
  database: Database,
  settings: RotationSettings,
  request: RotationRequest,
): Promise<Rotated | undefined> {
  return (await rotate(rotateLockedToken, database, settings, [request]))[0];
}

async function findUsable(
  database: Database,
  { clock }: RotationSettings,
  requests: readonly RotationRequest[],
): Promise<ReadonlySet<RotationRequest>> {
  const values = [JSON.stringify(requests.map(toRow)), clock().toISOString()];
  const rows = await database.runHot(findUsableTokens, values, scopeOf(requests));
  return new Set(rows.flatMap(([ordinal]) => requests[Number(ordinal)] ?? []));
}

async function rotate(
  statement: HotStatement,
  database: Database,
  { clock, refreshTokenTtlSeconds }: RotationSettings,
  requests: readonly RotationRequest[],
): Promise<(Rotated | undefined)[]> {
  const now = clock();
  const expiresAt = new Date(now.getTime() + refreshTokenTtlSeconds * 1000);
  const scope = scopeOf(requests);
  const values = [JSON.stringify(requests.map(toRow)), now.toISOString(), expiresAt.toISOString(), scope];
  const rows = await database.runHot(statement, values, scope);
  const rotated: (Rotated | undefined)[] = requests.map(() => undefined);
  for (const [ordinal, grantId, userId, issued] of rows) {
    rotated[Number(ordinal)] = {
      grantId: grantId ?? '',
      userId: userId ?? '',
      scopes: parseScope(issued ?? ''),
    };
  }
  return rotated;
}

function scopeOf(requests: readonly RotationRequest[]) {
  return accountScope(...requests.map(({ application }) => application.accountId));
}

function toRow(
  { tokenHash, successorHash, requested = [], application, origin }: RotationRequest,
  ordinal: number,
) {
  return {
    ordinal,
    token_hash: tokenHash.toString('hex'),
    successor_hash: successorHash.toString('hex'),
    requested,
    account_id: application.accountId,
    application_id: application.id,
    available: availableByRole(application),
    event_id: randomId(),
    address: origin.address,
    request_id: origin.requestId,
  };
}

/** Scopes of the application that a user of each role may grant. */
function availableByRole({ scopes }: Application): Record<string, string[]> {
  return Object.fromEntries(roles.map((role) => [role, scopes.filter((scope) => mayGrant(role, scope))]));
}
