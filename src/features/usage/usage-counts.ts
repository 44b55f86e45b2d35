import { type ApiCall, applicationKey, type CallingApplication } from './identify-applications.js';

const hourMilliseconds = 3_600_000;

/** Calls of one application and user to one operation in one hour. */
export interface UsageCount extends CallingApplication {
  /** Start of the hour, in milliseconds since the epoch. */
  readonly hour: number;
  readonly operation: string;
  /** Empty for calls without a user. */
  readonly userId: string;
  /** All calls, rejected ones included. */
  calls: number;
  /** Calls with a status of 400 or more, except 429. */
  errors: number;
  /** Calls with the status 429. */
  rateLimited: number;
  records: number;
}

/** Usage that is not stored yet. Beyond a maximum number of counts, the oldest ones are dropped. */
export class UsageCounts {
  readonly #maximum: number;
  #counts = new Map<string, UsageCount>();
  /** The last count of each application and operation. Building a key for each request costs 2 % of a read (bench `get`). */
  #recent = new Map<string, Map<string, UsageCount>>();
  #dropped = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Number of counts. */
  get size(): number {
    return this.#counts.size;
  }

  /** Counts a call, in less than a microsecond. */
  add(call: ApiCall, at: number): void {
    const count = this.#countOf(call, at - (at % hourMilliseconds));
    const { status } = call;
    count.calls += 1;
    if (status === 429) count.rateLimited += 1;
    else if (status !== undefined && status >= 400) count.errors += 1;
    else count.records += call.records;
  }

  /** Removes all counts and returns them, the oldest first. */
  takeAll(): UsageCount[] {
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    this.#recent = new Map();
    return taken;
  }

  /** Puts back counts that could not be stored, and merges them with newer ones. */
  putBack(counts: readonly UsageCount[]): void {
    const later = this.takeAll();
    for (const count of [...counts, ...later]) {
      const key = keyOf(count, count.hour, count.userId);
      const same = this.#counts.get(key);
      if (same === undefined) this.#insert(key, count);
      else {
        same.calls += count.calls;
        same.errors += count.errors;
        same.rateLimited += count.rateLimited;
        same.records += count.records;
      }
    }
  }

  /** Returns the number of calls whose counts were dropped since the last call of this method. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #countOf(call: ApiCall, hour: number): UsageCount {
    const userId = call.userId ?? '';
    const { applicationId, operation } = call;
    if (applicationId === undefined) return this.#findOrInsert(call, hour, userId);
    const byOperation = this.#recent.get(applicationId);
    const recent = byOperation?.get(operation);
    if (recent !== undefined && recent.hour === hour && recent.userId === userId) return recent;
    const count = this.#findOrInsert(call, hour, userId);
    if (byOperation === undefined) this.#recent.set(applicationId, new Map([[operation, count]]));
    else byOperation.set(operation, count);
    return count;
  }

  #findOrInsert(call: ApiCall, hour: number, userId: string): UsageCount {
    const key = keyOf(call, hour, userId);
    const existing = this.#counts.get(key);
    if (existing !== undefined) return existing;
    const { accountId, applicationId, clientId, operation } = call;
    const zeros = { calls: 0, errors: 0, rateLimited: 0, records: 0 };
    const count = { accountId, applicationId, clientId, hour, operation, userId, ...zeros };
    this.#insert(key, count);
    return count;
  }

  #insert(key: string, count: UsageCount): void {
    this.#counts.set(key, count);
    if (this.#counts.size <= this.#maximum) return;
    for (const [oldest, { calls }] of this.#counts) {
      this.#counts.delete(oldest);
      this.#recent = new Map();
      this.#dropped += calls;
      return;
    }
  }
}

function keyOf(call: CallingApplication & { readonly operation: string }, hour: number, userId: string) {
  return `${hour} ${applicationKey(call)} ${call.operation} ${userId}`;
}
