import { hourMilliseconds } from '../../platform/clock.js';
import { randomId } from '../../platform/database/ids.js';

/** The application of a call. Only `clientId` is set when a valid token was rejected before its application was read. */
export interface CallingApplication {
  readonly accountId?: string | undefined;
  readonly applicationId?: string | undefined;
  readonly clientId?: string | undefined;
}

/** A finished request to an operation of the contract. */
export interface ApiCall extends CallingApplication {
  readonly userId: string | null;
  readonly operation: string;
  /** Absent when the client disconnected before the response. */
  readonly status: number | undefined;
  /** Employees, reports, report rows or users in the response. */
  readonly records: number;
  readonly requestId: string;
  /** Code of the problem document in the response. */
  readonly code: string | null;
}

/** Key of an application in memory. Ids of applications contain no space. */
function applicationKey({ applicationId, clientId }: CallingApplication): string {
  return applicationId ?? `client ${clientId}`;
}

/** Removes and returns the value that was added first, if there are more than the maximum. */
function dropOldest<Value>(values: Map<string, Value>, maximum: number): Value | undefined {
  if (values.size <= maximum) return undefined;
  const [[key, value] = []] = values;
  if (key !== undefined) values.delete(key);
  return value;
}

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
    const dropped = dropOldest(this.#counts, this.#maximum);
    if (dropped === undefined) return;
    this.#recent = new Map();
    this.#dropped += dropped.calls;
  }
}

function keyOf(call: CallingApplication & { readonly operation: string }, hour: number, userId: string) {
  return `${hour} ${applicationKey(call)} ${call.operation} ${userId}`;
}

/** Number of rejected requests that are stored for each application. */
export const storedRejections = 20;

/** A request that was rejected and is not stored yet. */
export interface RejectedCall extends CallingApplication {
  readonly id: string;
  readonly userId: string | null;
  readonly operation: string;
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Whether the client authentication failed. */
  readonly failed: boolean;
}

function toRejection(call: ApiCall, { status, at }: { status: number; at: number }): RejectedCall {
  const { accountId, applicationId, clientId, userId, operation, requestId, code } = call;
  const application = { accountId, applicationId, clientId };
  return { id: randomId(), ...application, userId, operation, requestId, code, status, at, failed: false };
}

/** Number of failed client authentications that are stored for each application and hour. Further ones are only counted. */
export const storedFailures = 100;

/** Failed client authentications of an application in one hour. */
export interface FailureCount extends CallingApplication {
  /** Start of the hour, in milliseconds since the epoch. */
  readonly hour: number;
  failures: number;
}

/**
 * Failed client authentications that are not stored yet: their numbers, and the first of each application and hour. Beyond a
 * number of applications, those of the oldest are dropped.
 */
export class RecentFailures {
  readonly #maximumApplications: number;
  #counts = new Map<string, FailureCount & { readonly first: RejectedCall[] }>();

  constructor(maximumApplications: number) {
    this.#maximumApplications = maximumApplications;
  }

  add(call: ApiCall, at: number): void {
    const { status } = call;
    if (status === undefined || status < 400) return;
    const { first } = this.#count(call, at - (at % hourMilliseconds), 1);
    if (first.length < storedFailures) first.push({ ...toRejection(call, { status, at }), failed: true });
  }

  /** Removes all numbers and the first failures, and returns them. */
  takeAll(): { counts: FailureCount[]; rejections: RejectedCall[] } {
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    return {
      counts: taken.map(({ first: _, ...count }) => count),
      rejections: taken.flatMap(({ first }) => first),
    };
  }

  /** Puts back numbers and failures that could not be stored. */
  putBack({ counts, rejections }: ReturnType<RecentFailures['takeAll']>): void {
    const later = this.takeAll();
    for (const count of [...counts, ...later.counts]) this.#count(count, count.hour, count.failures);
    for (const rejection of [...rejections, ...later.rejections]) {
      const { first } = this.#count(rejection, rejection.at - (rejection.at % hourMilliseconds), 0);
      if (first.length < storedFailures) first.push(rejection);
    }
  }

  #count({ accountId, applicationId, clientId }: CallingApplication, hour: number, failures: number) {
    const key = `${hour} ${applicationKey({ applicationId, clientId })}`;
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.failures += failures;
      return known;
    }
    const count = { accountId, applicationId, clientId, hour, failures, first: [] };
    this.#counts.set(key, count);
    dropOldest(this.#counts, this.#maximumApplications);
    return count;
  }
}

/** The last rejected requests of each application. Beyond a number of applications, those of the oldest are dropped. */
export class RecentRejections {
  readonly #maximumApplications: number;
  #rejections = new Map<string, RejectedCall[]>();

  constructor(maximumApplications: number) {
    this.#maximumApplications = maximumApplications;
  }

  add(call: ApiCall, at: number): void {
    const { status } = call;
    if (status === undefined || status < 400) return;
    this.#insert(toRejection(call, { status, at }));
  }

  /** Removes all rejections and returns them. */
  takeAll(): RejectedCall[] {
    const taken = [...this.#rejections.values()].flat();
    this.#rejections = new Map();
    return taken;
  }

  /** Puts back rejections that could not be stored. Those that were added since are newer. */
  putBack(rejections: readonly RejectedCall[]): void {
    const later = this.takeAll();
    for (const rejection of [...rejections, ...later]) this.#insert(rejection);
  }

  #insert(rejection: RejectedCall): void {
    const key = applicationKey(rejection);
    const list = this.#rejections.get(key);
    if (list !== undefined) {
      list.push(rejection);
      if (list.length > storedRejections) list.shift();
      return;
    }
    this.#rejections.set(key, [rejection]);
    dropOldest(this.#rejections, this.#maximumApplications);
  }
}
