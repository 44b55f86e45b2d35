import type { AccountId } from '../../platform/accounts/account-id.js';
import { dayMilliseconds, hourMilliseconds } from '../../platform/clock.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { storedFailures, storedRejections } from './unstored-usage.js';

/** Retention of the counts of API calls, in days. */
export const usageRetentionDays = 400;

/** Retention of rejected requests, in days. */
export const rejectionRetentionDays = 7;

/** The last days in UTC, including the day of `now`. */
export function lastDays(now: Date, days: number): UsageRange {
  const tomorrow = (Math.floor(now.getTime() / dayMilliseconds) + 1) * dayMilliseconds;
  return { from: new Date(tomorrow - days * dayMilliseconds), to: new Date(tomorrow) };
}

/** The day in UTC that starts at `from`. */
export function oneDay(from: Date): UsageRange {
  return { from, to: new Date(from.getTime() + dayMilliseconds) };
}

/** Start times of the hours or days of a range. */
export function periodsOf({ from, to }: UsageRange, per: 'hour' | 'day'): Date[] {
  const milliseconds = per === 'hour' ? hourMilliseconds : dayMilliseconds;
  const count = Math.round((to.getTime() - from.getTime()) / milliseconds);
  return Array.from({ length: count }, (_, index) => new Date(from.getTime() + index * milliseconds));
}

/** The hours that start at or after `from` and before `to`. */
export interface UsageRange {
  readonly from: Date;
  readonly to: Date;
}

/** Numbers of calls of all users. */
export interface Usage {
  readonly operation: string;
  /** All calls, rejected ones included. */
  readonly calls: number;
  /** Calls with a status of 400 or more, except 429. */
  readonly errors: number;
  /** Calls with the status 429. */
  readonly rateLimited: number;
  /** Employees, reports, report rows and users in responses. */
  readonly records: number;
}

/** Usage in one hour, or on one day in UTC. */
export interface UsageInPeriod extends Usage {
  /** Start of the hour or day. */
  readonly start: Date;
}

export interface RejectedRequest {
  readonly at: Date;
  readonly requestId: string;
  readonly operation: string;
  readonly status: number;
  /** Code of the problem document. */
  readonly code: string | null;
  readonly userId: string | null;
}

/** Failed client authentications of an application. */
export interface FailuresInHour {
  /** Start of the hour. */
  readonly hour: Date;
  readonly failures: number;
}

const sums = Prisma.sql`
  operation, sum(calls)::float8 AS calls, sum(errors)::float8 AS errors,
  sum(rate_limited)::float8 AS "rateLimited", sum(records)::float8 AS records`;

/**
 * Reads how an application used the API. Calls appear about ten seconds later. An unknown application, or one of another
 * account, has no usage.
 */
export class UsageReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Reads the usage by operation in each hour or day, oldest first. Hours and operations without calls are omitted. The
   * result has a row for each hour, so read a month at most by the hour.
   */
  usageOf(
    accountId: AccountId,
    applicationId: string,
    { from, to, per = 'hour' }: UsageRange & { readonly per?: 'hour' | 'day' },
  ): Promise<UsageInPeriod[]> {
    const start = per === 'hour' ? Prisma.sql`hour` : Prisma.sql`date_trunc('day', hour, 'UTC')`;
    return this.#database.prisma.$queryRaw<UsageInPeriod[]>`
      SELECT ${start} AS start, ${sums} FROM api_usage
      WHERE ${condition(accountId, applicationId, { from, to })} GROUP BY 1, 2 ORDER BY 1, 2`;
  }

  /** Reads the start of the last hour with calls of the application; `null` without any in the stored time. */
  async lastHourOf(accountId: AccountId, applicationId: string): Promise<Date | null> {
    const [last] = await this.#database.prisma.$queryRaw<{ hour: Date }[]>`
      SELECT hour FROM api_usage WHERE account_id = ${accountId} AND application_id = ${applicationId}
      ORDER BY hour DESC LIMIT 1`;
    return last?.hour ?? null;
  }

  /** Reads the usage by operation in the whole range. */
  usageByOperationOf(accountId: AccountId, applicationId: string, range: UsageRange): Promise<Usage[]> {
    return this.#database.prisma.$queryRaw<Usage[]>`
      SELECT ${sums} FROM api_usage WHERE ${condition(accountId, applicationId, range)} GROUP BY 1 ORDER BY 1`;
  }

  /** Reads the last rejected requests of the application, without failed client authentications, at most 20, newest first. */
  rejectedRequestsOf(accountId: AccountId, applicationId: string): Promise<RejectedRequest[]> {
    return this.#rejections(
      accountId,
      applicationId,
      Prisma.sql`NOT failed_authentication`,
      storedRejections,
    );
  }

  /** Reads the last requests of the application whose client authentication failed, at most 100, newest first. */
  failedAuthenticationsOf(accountId: AccountId, applicationId: string): Promise<RejectedRequest[]> {
    return this.#rejections(accountId, applicationId, Prisma.sql`failed_authentication`, storedFailures);
  }

  /** Reads the rejected requests of the application with a request id, at most 20, newest first. */
  rejectedRequestsWithId(
    accountId: AccountId,
    applicationId: string,
    requestId: string,
  ): Promise<RejectedRequest[]> {
    return this.#rejections(
      accountId,
      applicationId,
      Prisma.sql`request_id = ${requestId}`,
      storedRejections,
    );
  }

  /** Reads the number of failed client authentications of the application in each hour that has some, newest first. */
  failuresByHour(
    accountId: AccountId,
    applicationId: string,
    { from, to }: UsageRange,
  ): Promise<FailuresInHour[]> {
    return this.#database.prisma.$queryRaw<FailuresInHour[]>`
      SELECT hour, failures::float8 AS failures FROM failed_authentications
      WHERE ${condition(accountId, applicationId, { from, to })} ORDER BY hour DESC`;
  }

  #rejections(
    accountId: AccountId,
    applicationId: string,
    isWanted: Prisma.Sql,
    limit: number,
  ): Promise<RejectedRequest[]> {
    return this.#database.prisma.$queryRaw<RejectedRequest[]>`
      SELECT created_at AS at, request_id AS "requestId", operation, status, code, user_id AS "userId"
      FROM rejected_requests WHERE account_id = ${accountId} AND application_id = ${applicationId} AND ${isWanted}
      ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
  }
}

function condition(accountId: AccountId, applicationId: string, { from, to }: UsageRange): Prisma.Sql {
  return Prisma.sql`
    account_id = ${accountId} AND application_id = ${applicationId} AND hour >= ${from} AND hour < ${to}`;
}
