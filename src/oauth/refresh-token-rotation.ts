import type { Database } from '../database/client.js';
import { RowsLockedError } from '../database/database-errors.js';
import { createBatcher } from '../services/batcher.js';
import { createDeadlineQueue } from '../services/deadline-queue.js';
import {
  findUsable,
  type Rotated,
  type RotationRequest,
  type RotationSettings,
  rotateFree,
  rotateWaiting,
} from './rotation-statements.js';

/** What became of a request in a statement for many; `locked` says that it is to be made again, alone. */
type Outcome = Rotated | 'locked' | undefined;

/**
 * Replaces refresh tokens. One statement uses up the old ones, stores the new ones and writes down that it did, so
 * that of many uses of a token exactly one succeeds, also when they are in the same statement: a row is changed
 * once. A process that dies leaves the old tokens or the new ones.
 *
 * A statement for many waits for nobody, and so cannot deadlock: a token that another transaction has locked is
 * left to a statement of its own, which waits.
 */
export class RefreshTokenRotation {
  readonly #rotateFree: (request: RotationRequest) => Promise<Outcome>;
  readonly #rotateWaiting: (request: RotationRequest, otherwise: Error) => Promise<Rotated | undefined>;

  constructor(database: Database, settings: RotationSettings) {
    this.#rotateFree = createBatcher((requests) => rotateTogether(database, settings, requests), {
      maximum: 50,
      atOnce: 2,
    });
    this.#rotateWaiting = createDeadlineQueue((request) => rotateWaiting(database, settings, request));
  }

  /** `undefined` when the token is not to be had any more, or not for these scopes; nothing was changed then. */
  async rotate(request: RotationRequest): Promise<Rotated | undefined> {
    const outcome = await this.#rotateFree(request);
    if (outcome !== 'locked') return outcome;
    return this.#rotateWaiting(request, new RowsLockedError('The refresh token is locked.'));
  }
}

async function rotateTogether(
  database: Database,
  settings: RotationSettings,
  requests: readonly RotationRequest[],
): Promise<(Outcome | Error)[]> {
  const rotated = await rotateFree(database, settings, requests);
  const left = requests.filter((_, index) => rotated[index] === undefined);
  if (left.length === 0) return rotated;
  try {
    const usable = await findUsable(database, settings, left);
    return requests.map((request, index) => rotated[index] ?? (usable.has(request) ? 'locked' : undefined));
  } catch (error) {
    // The others have their new tokens, and must hear of it.
    return rotated.map((outcome) => outcome ?? (error as Error));
  }
}
