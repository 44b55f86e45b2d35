import type { Database } from '../client.js';
import { isDatabaseUnavailable, isStatementCanceled, isWriteConflict } from '../database-errors.js';
import type { TenantScope } from '../scope.js';
import { type Standby, StandbyLostError } from './standby.js';
import { accountsOf, createPositionReader } from './write-positions.js';

/** Milliseconds that a read waits for a standby to replay the last write of its accounts. */
const maximumWaitMs = 200;

type Work<Result> = (database: Database, lost: AbortSignal | undefined) => Promise<Result>;

/**
 * Chooses where a read runs: on a standby that has every acknowledged write of its accounts, by any process, and otherwise
 * on the primary.
 */
export class Standbys {
  readonly #primary: Database;
  readonly #standbys: readonly Standby[];
  readonly #positionOf: ReturnType<typeof createPositionReader>;
  #next = 0;

  constructor(primary: Database, standbys: readonly Standby[]) {
    this.#primary = primary;
    this.#standbys = standbys;
    this.#positionOf = createPositionReader(primary);
  }

  /** Runs a read in a scope, and once more on the primary when its standby fails. */
  async run<Result>(scope: TenantScope, work: Work<Result>): Promise<Result> {
    const standby = await this.#choose(scope);
    if (standby === undefined) return work(this.#primary, undefined);
    try {
      return await standby.run(work);
    } catch (error) {
      if (!isFailureOfStandby(error)) throw error;
      return work(this.#primary, undefined);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#standbys.map((standby) => standby.close()));
  }

  async #choose(scope: TenantScope): Promise<Standby | undefined> {
    if (accountsOf(scope).length === 0 || !this.#standbys.some(({ isUsable }) => isUsable)) return undefined;
    const position = await this.#positionOf(scope);
    // After the lookup, because a standby may have been lost during it.
    const usable = this.#standbys.filter(({ isUsable }) => isUsable);
    const current = usable.filter((standby) => standby.position >= position);
    this.#next += 1;
    if (current.length > 0) return current[this.#next % current.length];
    const [first, ...others] = usable;
    if (first === undefined) return undefined;
    const ahead = others.reduce((best, other) => (other.position > best.position ? other : best), first);
    return (await ahead.reaches(position, maximumWaitMs)) ? ahead : undefined;
  }
}

/**
 * Whether a read can succeed on the primary. A standby also cancels statements that conflict with the replay of the log
 * (40001). A statement that exceeded its own time limit would exceed it there as well.
 */
function isFailureOfStandby(error: unknown): boolean {
  if (error instanceof StandbyLostError || isWriteConflict(error)) return true;
  return isDatabaseUnavailable(error) && !isStatementCanceled(error);
}
