import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import type { Contract } from '../../../platform/contract/contract.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { periodsOf } from '../usage-range.js';
import type { RejectedRequest, UsageInPeriod, UsageRange } from '../usage-reader.js';
import { usageIntervalMilliseconds } from '../usage-recorder.js';
import { CallsChart, countWords } from './calls-chart.js';
import { type ApplicationLimits, LimitsSection } from './limits-section.js';
import { RejectionsSection } from './rejections-section.js';
import { dateText, hourText, longDay, shortDay, usageDays } from './usage-days.js';
import { callsByOperation, callsByPeriod, sumOf } from './usage-figures.js';

interface UsagePageProps {
  readonly context: PageContext;
  readonly application: ApplicationDetails;
  /** The days of the page, and the usage by day and operation. */
  readonly range: UsageRange;
  readonly byDay: readonly UsageInPeriod[];
  /** The selected day, and its usage by hour and operation. */
  readonly day: UsageRange;
  readonly byHour: readonly UsageInPeriod[];
  readonly rejections: readonly RejectedRequest[];
  readonly limits: ApplicationLimits;
  readonly problems: Contract['problems'];
}

/** Usage of an application: calls by day, hour and operation, limits, and rejected requests. */
export function UsagePage(props: UsagePageProps) {
  const { context, application, byDay, rejections, limits, problems } = props;
  const operations = callsByOperation(byDay);
  return (
    <SitePage
      context={context}
      title={`Usage of ${application.name}`}
      current="applications"
      parent={{ title: application.name, href: applicationAddress(application.id) }}
    >
      <h1>Usage</h1>
      <p>
        Calls to the API in the last {usageDays} days. Days and hours are in UTC. A call is counted at most{' '}
        {usageIntervalMilliseconds / 1000} seconds after its response.
      </p>
      <DaysSection {...props} />
      <HoursSection {...props} />
      <section>
        <h2>By operation</h2>
        {operations.length === 0 ? (
          <p>No calls in the last {usageDays} days.</p>
        ) : (
          <CallsChart
            kind="bars"
            id="operations"
            title="Calls by operation"
            description={`The last ${usageDays} days, most called first. ${operations[0]?.of} has ${countWords(operations[0] ?? sumOf([]))}. The table has all numbers.`}
            rows={operations}
            keyOf={String}
            labelOf={String}
            heading="Operation"
            cell={(operation) => <code>{operation}</code>}
          />
        )}
      </section>
      <LimitsSection limits={limits} />
      <RejectionsSection {...{ rejections, problems }} reader={context.user} />
    </SitePage>
  );
}

function DaysSection({ application: { id }, byDay, range }: UsagePageProps) {
  const days = callsByPeriod(byDay, periodsOf(range, 'day'));
  const last = new Date(range.to.getTime() - 1);
  return (
    <section>
      <h2>By day</h2>
      <p>{sentence(countWords(sumOf(byDay)))}</p>
      <CallsChart
        kind="columns"
        id="days"
        title="Calls by day"
        description={`${longDay(range.from)} to ${longDay(last)}, in UTC: ${countWords(sumOf(byDay))}. The table has the numbers of each day.`}
        rows={days}
        keyOf={dateText}
        labelOf={shortDay}
        labelEvery={7}
        heading="Day"
        cell={(day) => <a href={hoursAddress(id, day)}>{longDay(day)}</a>}
        folded
      />
    </section>
  );
}

function HoursSection({ application: { id }, byHour, range, day }: UsagePageProps) {
  const hours = callsByPeriod(byHour, periodsOf(day, 'hour'));
  const name = longDay(day.from);
  const before = new Date(day.from.getTime() - 86_400_000);
  return (
    <section id="hours">
      <h2>By hour on {name}</h2>
      <p>{sentence(countWords(sumOf(byHour)))}</p>
      <CallsChart
        kind="columns"
        id="hour"
        title={`Calls by hour on ${name}`}
        description={`The 24 hours of ${name} in UTC: ${countWords(sumOf(byHour))}. The table has the numbers of each hour.`}
        rows={hours}
        keyOf={hourText}
        labelOf={hourText}
        heading="Hour"
        cell={hourText}
        labelEvery={6}
        folded
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
  return `${applicationAddress(id, 'usage')}?day=${dateText(day)}#hours`;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
