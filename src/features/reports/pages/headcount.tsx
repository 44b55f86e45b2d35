import { numberText } from '../../../platform/counted.js';
import { type ChartBar, totalOf } from '../../../platform/pages/charts/chart-data.js';
import { ColumnChart } from '../../../platform/pages/charts/column-chart.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { DateInWords, useTimeText } from '../../../platform/pages/timestamp.js';
import { formatStatus } from '../../employees/index.js';
import type { Headcount } from '../results/headcount.js';
import type { ReportPagesDependencies } from './report-pages.js';

export const headcountPath = `${reportsPath}/headcount`;

/** Statuses with a part of their own in the columns. */
const maximumStatuses = 5;

/** The number of employees over time: a chart and a table by status. */
export function headcountPages(
  site: PageRouter,
  { reportResults }: Pick<ReportPagesDependencies, 'reportResults'>,
): void {
  site.get(headcountPath, async (context) => {
    const { oldest, headcounts } = await reportResults.readHeadcounts(
      context.user.accountId,
      context.disconnected(),
    );
    return {
      title: 'Headcount over time',
      body: (
        <>
          <p class="hint">
            The employees at the end of each month and today, by the status that they had then. Days end at
            midnight UTC. Deleted employees are not included. Changes are kept since{' '}
            <DateInWords date={oldest} />.
          </p>
          <HeadcountChart headcounts={headcounts} />
          <DataTable
            caption="Headcount by status"
            columns={tableColumns(statusesOf(headcounts))}
            rows={headcounts.toReversed()}
          />
        </>
      ),
    };
  });
}

/** The statuses of all dates, the most frequent ones first. */
function statusesOf(headcounts: readonly Headcount[]): string[] {
  const totals = new Map<string, number>();
  for (const { counts } of headcounts)
    for (const [status, count] of counts) totals.set(status, (totals.get(status) ?? 0) + count);
  return [...totals]
    .toSorted(([one, count], [other, otherCount]) => otherCount - count || (one < other ? -1 : 1))
    .map(([status]) => status);
}

function totalAt({ counts }: Headcount): number {
  return totalOf({ values: [...counts.values()] });
}

function HeadcountChart({ headcounts }: { headcounts: readonly Headcount[] }) {
  const timeText = useTimeText();
  const statuses = statusesOf(headcounts);
  const shown = statuses.slice(0, maximumStatuses);
  const hasOthers = statuses.length > shown.length;
  const series = [...shown.map((status) => ({ label: formatStatus(status) })), ...(hasOthers ? [other] : [])];
  const bars = headcounts.map((headcount): ChartBar => {
    const { date, counts } = headcount;
    const values = shown.map((status) => counts.get(status) ?? 0);
    const others = totalAt(headcount) - totalOf({ values });
    return { key: date, label: timeText(date, 'date'), values: hasOthers ? [...values, others] : values };
  });
  const [first, last] = [headcounts[0], headcounts.at(-1)];
  const description =
    first === undefined || last === undefined
      ? ''
      : `${numberText(totalAt(first))} employees at the end of ${timeText(first.date, 'date')}, ${numberText(totalAt(last))} today.`;
  return (
    <section class="report-chart">
      <ColumnChart
        id="headcount"
        title="Employees by month and status"
        description={description}
        series={series}
        columns={bars}
        labelEvery={Math.max(1, Math.ceil(bars.length / 4))}
        labelLast
      />
    </section>
  );
}

const other = { label: 'Other' };

const number = { kind: 'number' } as const;

function tableColumns(statuses: readonly string[]): Column<Headcount>[] {
  return [
    column('Date', ({ date }) => <DateInWords date={date} />),
    ...statuses.map((status) =>
      column(formatStatus(status), ({ counts }: Headcount) => numberText(counts.get(status) ?? 0), number),
    ),
    column('Total', (headcount) => numberText(totalAt(headcount)), number),
  ];
}
