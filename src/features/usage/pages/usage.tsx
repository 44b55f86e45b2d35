import {
  type ApplicationDetails,
  type ApplicationReader,
  requestedApplication,
} from '../../../oauth/clients/application-details.js';
import { applicationPage, tabAddress } from '../../../oauth/clients/application-tabs.js';
import { dayMilliseconds, utcDate } from '../../../platform/clock.js';
import type { Config } from '../../../platform/config/config.js';
import { numberText } from '../../../platform/counted.js';
import { defaultPageSize, maximumPageSize } from '../../../platform/http/pagination.js';
import type { ReportLimits } from '../../../platform/limits/report-concurrency.js';
import { Empty } from '../../../platform/pages/data-table.js';
import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import {
  lastDays,
  periodsOf,
  type UsageInPeriod,
  type UsageRange,
  type UsageReader,
} from '../usage-reader.js';
import { usageIntervalMilliseconds } from '../usage-recorder.js';
import {
  CallsChart,
  callsByOperation,
  callsByPeriod,
  describeCalls,
  hourText,
  longDay,
  selectedDay,
  shortDay,
  sumOf,
  usageDays,
} from './calls-chart.js';

/** The limits of an application. `0` of a configured limit is no limit. */
interface ApplicationLimits {
  readonly configured: Pick<
    Config,
    'rateLimitApi' | 'rateLimitToken' | 'maxReportsPerAccount' | 'maxIdempotencyKeys'
  >;
  readonly reports: Pick<ReportLimits, 'runsPerAccount' | 'downloadsPerAccount' | 'downloadMs'>;
  /** Maximum size of a request body. */
  readonly bodyBytes: number;
}

/** The limits that a call of the application can exceed, for its developers. */
function LimitsSection({ limits }: { limits: ApplicationLimits }) {
  const { configured, reports, bodyBytes } = limits;
  return (
    <details>
      <summary>Limits of the service, for developers</summary>
      <DescriptionList>
        <DescriptionItem name="Calls">{upTo(configured.rateLimitApi, 'a minute')}</DescriptionItem>
        <DescriptionItem name="Token and revocation requests">
          {upTo(configured.rateLimitToken, 'a minute')}
        </DescriptionItem>
        <DescriptionItem name="Records of a page">
          {numberText(maximumPageSize)}; {numberText(defaultPageSize)} by default
        </DescriptionItem>
        <DescriptionItem name="Request body">{numberText(bodyBytes / 1024)} KiB</DescriptionItem>
        <DescriptionItem name="Report runs">
          {numberText(reports.runsPerAccount)} of the account at the same time, in each server process
        </DescriptionItem>
        <DescriptionItem name="CSV downloads">
          {numberText(reports.downloadsPerAccount)} of the account at the same time, in each server process;{' '}
          {numberText(reports.downloadMs / 60_000)} minutes each
        </DescriptionItem>
        <DescriptionItem name="Saved reports">
          {upTo(configured.maxReportsPerAccount, 'in the account')}
        </DescriptionItem>
        <DescriptionItem name="Idempotency keys">
          {upTo(configured.maxIdempotencyKeys, 'in 24 hours')}
        </DescriptionItem>
      </DescriptionList>
    </details>
  );
}

function upTo(limit: number, unit: string): string {
  return limit === 0 ? 'No limit' : `${numberText(limit)} ${unit}`;
}

interface UsagePageProps {
  readonly application: ApplicationDetails;
  /** The days of the page, and the usage by day and operation. */
  readonly range: UsageRange;
  readonly byDay: readonly UsageInPeriod[];
  /** The selected day, and its usage by hour and operation. */
  readonly day: UsageRange;
  readonly byHour: readonly UsageInPeriod[];
  readonly limits: ApplicationLimits;
  /** Start of the last hour with calls; `null` without any. */
  readonly lastHour: Date | null;
  /** What each operation does, by its id. */
  readonly operationSummaries: ReadonlyMap<string, string>;
}

/** Usage of an application: a summary, calls by day, hour and operation, and limits. */
function UsageSections(props: UsagePageProps) {
  const { byDay, limits, operationSummaries } = props;
  const operations = callsByOperation(byDay);
  const [mostCalled] = operations;
  // Calls of an earlier version may have had other operations.
  const nameOf = (operation: string) => operationSummaries.get(operation) ?? operation;
  return (
    <>
      <Summary {...props} />
      {mostCalled === undefined ? (
        <Empty title={`No calls in the last ${usageDays} days.`}>
          <p>Calls appear here by day, by hour and by what the application requested.</p>
        </Empty>
      ) : (
        <>
          <DaysSection {...props} />
          <HoursSection {...props} />
          <section>
            <h2>What the application requested</h2>
            <CallsChart
              kind="bars"
              id="operations"
              title="Calls by operation"
              description={`The last ${usageDays} days, most called first. “${nameOf(mostCalled.of)}” has ${describeCalls(mostCalled)}. The table has all numbers.`}
              rows={operations}
              keyOf={String}
              labelOf={nameOf}
              heading="Operation"
              cell={nameOf}
            />
          </section>
          <p class="hint">
            Days and hours are in UTC. A call is counted at most {usageIntervalMilliseconds / 1000} seconds
            after its response.
          </p>
        </>
      )}
      <LimitsSection limits={limits} />
    </>
  );
}

/** The numbers of the period, and what they mean. */
function Summary({ application: { id }, byDay, lastHour, limits }: UsagePageProps) {
  const { calls, withoutError, errors, rateLimited } = sumOf(byDay);
  const perMinute = limits.configured.rateLimitApi;
  const rejections = <a href={tabAddress(id, 'requests')}>See the last rejected requests</a>;
  return (
    <DescriptionList>
      <DescriptionItem name={`Calls in the last ${usageDays} days`}>{numberText(calls)}</DescriptionItem>
      <DescriptionItem name="Successful">{numberText(withoutError)}</DescriptionItem>
      <DescriptionItem name="Errors">
        {numberText(errors)}
        {errors > 0 && <>. The service could not do what was requested. {rejections}</>}
      </DescriptionItem>
      <DescriptionItem name="Over the limit">
        {numberText(rateLimited)}
        {rateLimited > 0 && (
          <>
            . Rejected, because the application sent too many calls at a time
            {perMinute > 0 && `: the limit is ${upTo(perMinute, 'a minute')}`}
          </>
        )}
      </DescriptionItem>
      <DescriptionItem name="Last call">
        {lastHour === null ? (
          'Never'
        ) : (
          <>
            in the hour from <Timestamp at={lastHour} />
          </>
        )}
      </DescriptionItem>
    </DescriptionList>
  );
}

function DaysSection({ application: { id }, byDay, range }: UsagePageProps) {
  const days = callsByPeriod(byDay, periodsOf(range, 'day'));
  const last = new Date(range.to.getTime() - 1);
  return (
    <section>
      <h2>By day</h2>
      <CallsChart
        kind="columns"
        id="days"
        title="Calls by day"
        description={`${longDay(range.from)} to ${longDay(last)}, in UTC: ${describeCalls(sumOf(byDay))}. The table has the numbers of each day.`}
        rows={days}
        keyOf={utcDate}
        labelOf={shortDay}
        labelEvery={7}
        heading="Day"
        cell={(day) => <a href={hoursAddress(id, day)}>{longDay(day)}</a>}
      />
    </section>
  );
}

function HoursSection({ application: { id }, byHour, range, day }: UsagePageProps) {
  const hours = callsByPeriod(byHour, periodsOf(day, 'hour'));
  const name = longDay(day.from);
  const before = new Date(day.from.getTime() - dayMilliseconds);
  return (
    <section id="hours">
      <h2>By hour on {name}</h2>
      <p>{sentence(describeCalls(sumOf(byHour)))}</p>
      <CallsChart
        kind="columns"
        id="hour"
        title={`Calls by hour on ${name}`}
        description={`The 24 hours of ${name} in UTC: ${describeCalls(sumOf(byHour))}. The table has the numbers of each hour.`}
        rows={hours}
        keyOf={hourText}
        labelOf={hourText}
        heading="Hour"
        cell={hourText}
        labelEvery={6}
      />
      <nav aria-label="Days" class="pager">
        {before >= range.from && (
          <a href={hoursAddress(id, before)} rel="prev">
            ‹ {longDay(before)}
          </a>
        )}
        {day.to < range.to && (
          <a href={hoursAddress(id, day.to)} rel="next">
            {longDay(day.to)} ›
          </a>
        )}
      </nav>
    </section>
  );
}

function hoursAddress(id: string, day: Date): string {
  return `${tabAddress(id, 'usage')}?day=${utcDate(day)}#hours`;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

export interface UsagePageDependencies extends Pick<UsagePageProps, 'operationSummaries'> {
  readonly usage: UsageReader;
  readonly limits: ApplicationLimits;
}

/** Settings → OAuth applications → an application → Usage. */
export function usagePage(
  site: PageRouter,
  dependencies: { readonly applications: ApplicationReader } & UsagePageDependencies,
): void {
  const { usage, limits, operationSummaries } = dependencies;
  site.get(tabAddress(':id', 'usage'), async (context) => {
    const { accountId, at } = context.auditContext;
    const range = lastDays(at, usageDays);
    const day = selectedDay(context.query, range);
    const application = await requestedApplication(context, dependencies);
    const { id } = application;
    const [byDay, byHour, lastHour] = await Promise.all([
      usage.usageOf(accountId, id, { ...range, per: 'day' }),
      usage.usageOf(accountId, id, { ...day, per: 'hour' }),
      usage.lastHourOf(accountId, id),
    ]);
    const shown = { range, byDay, day, byHour, lastHour };
    const body = <UsageSections {...{ application, limits, operationSummaries, ...shown }} />;
    return applicationPage(application, 'usage', { body });
  });
}
