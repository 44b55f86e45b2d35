import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { numberText } from '../../../platform/counted.js';
import { BarChart } from '../../../platform/pages/charts/bar-chart.js';
import { type ChartBar, totalOf } from '../../../platform/pages/charts/chart-data.js';
import { ColumnChart } from '../../../platform/pages/charts/column-chart.js';
import { hasSeveralGroups } from '../computed-keys.js';
import type { ReportDefinition } from '../report.js';
import type { GroupKey } from '../report-columns.js';
import { type ChartData, type ChartValue, chartKeys, periodOf } from '../results/report-charts.js';
import { inSentence, keyLabel } from './definition.js';
import { type Group, isListed } from './group.js';
import { PageColumns, useValueText } from './value-text.js';

interface ReportChartProps {
  readonly chart: ChartData;
  readonly report: Pick<ReportDefinition, 'groupBy'>;
  /** Address of the list of the employees of a bar. */
  readonly address?: (group: Group) => string;
}

/** The bars and texts of the chart of a grouped report. The second key is stacked. */
export function useChart({ chart, report: { groupBy }, address }: ReportChartProps) {
  const keys = chartKeys(groupBy);
  const period = periodOf(keys.bars);
  const valueText = useValueText();
  const columns = useContext(PageColumns);
  const label = (value: ChartValue, key: GroupKey) => chartLabel(value, (text) => valueText(key, text));
  const series = chart.stacks.map((stack) => ({
    label: keys.stacks === undefined ? 'Employees' : label(stack, keys.stacks),
  }));
  const sizes = chart.counts.map((values) => totalOf({ values }));
  const all = totalOf({ values: sizes });
  // An employee who is in several groups is counted more than once.
  const total = hasSeveralGroups(groupBy) ? null : all;
  const bars = chart.bars.flatMap((value, index): ChartBar[] => {
    // All others together would be out of scale.
    if ('others' in value) return [];
    const values = chart.counts[index] ?? [];
    const share = shareText(sizes[index] ?? 0, all);
    const bar = {
      key: String(index),
      label: label(value, keys.bars),
      values,
      share,
      ...(address &&
        isListed(keys.bars) &&
        totalOf({ values }) > 0 && { href: address({ key: keys.bars, value: value.value }) }),
    };
    const parts = values.flatMap((count, part) =>
      count > 0 ? [`${series[part]?.label}: ${numberText(count)}`] : [],
    );
    const text = `${bar.label}: ${numberText(totalOf(bar))}`;
    return [{ ...bar, text: keys.stacks === undefined ? text : `${text} (${parts.join(', ')})` }];
  });
  const names = [keys.bars, ...(keys.stacks === undefined ? [] : [keys.stacks])].map((key) =>
    inSentence(keyLabel(key, columns)),
  );
  const [barName = '', stackName = ''] = names;
  // Employees without a year or a month have a column besides those of the others.
  const hasNone = period && chart.bars.some((value) => 'value' in value && value.value === null);
  const drawn = bars.length - (hasNone ? 1 : 0);
  const notes = [
    ...chart.bars.flatMap((value, index) =>
      'others' in value
        ? [outsideNote(value.others, drawn, { period, name: barName, size: sizes[index] ?? 0, all: total })]
        : [],
    ),
    ...chart.stacks.flatMap((value) =>
      'others' in value ? [combinedNote(value.others, chart.stacks.length - 1, stackName)] : [],
    ),
  ];
  return {
    title: `Employees by ${names.join(' and ')}`,
    description: describe(bars, { period, name: barName, all: total }),
    series,
    bars,
    /** Whether the bars are columns for years or months. */
    inColumns: period !== undefined,
    /** Sentences about what is not drawn. */
    notes,
    /** Number of columns from one label on the horizontal axis to the next. */
    labelEvery: Math.ceil(bars.length / maximumLabels),
  };
}

/** Number of employees in all groups of a chart. */
export function employeesIn({ counts }: ChartData): number {
  return totalOf({ values: counts.map((values) => totalOf({ values })) });
}

/** The chart of a grouped report: bars, or columns for years or months. */
export function ReportChart({
  actions,
  ...props
}: ReportChartProps & {
  /** What follows the chart. */
  actions?: ComponentChildren;
}) {
  const { bars, inColumns, notes, labelEvery, ...text } = useChart(props);
  return (
    <section class="report-chart">
      <h2>Chart</h2>
      {notes.map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
      {inColumns ? (
        <ColumnChart id="chart" {...text} columns={bars} labelEvery={labelEvery} labelLast />
      ) : (
        <BarChart id="chart" {...text} bars={bars} />
      )}
      {actions}
    </section>
  );
}

/** Labels of years or months on the horizontal axis, at most: they are shorter than those of days. */
const maximumLabels = 6;

/** Characters of a label. The table has the whole value. */
const longestLabel = 60;

function chartLabel(value: ChartValue, text: (value: string) => string): string {
  if ('others' in value) return 'Other';
  if (value.value === null) return 'None';
  if (value.value === '') return 'Empty text';
  const label = text(value.value);
  const characters = [...label];
  return characters.length <= longestLabel ? label : `${characters.slice(0, longestLabel - 1).join('')}…`;
}

/** What the sentences about a chart depend on. */
interface ChartText {
  readonly period: 'year' | 'month' | undefined;
  /** The key of the bars within a sentence. */
  readonly name: string;
  /** Number of employees in all groups; `null` if an employee can be in several. */
  readonly all: number | null;
}

function describe(bars: readonly ChartBar[], { period, name, all }: ChartText): string {
  const highest = bars.reduce((one, other) => (totalOf(other) > totalOf(one) ? other : one));
  const order = period ? `In the order of the ${period}s` : 'Largest first';
  const of = all === null ? '' : ` of ${numberText(all)}`;
  return `${order}. ${highest.label} is the highest ${name} with ${numberText(totalOf(highest))}${of} employees. The table has the numbers.`;
}

/** States what is not drawn. */
function outsideNote(
  others: number,
  shown: number,
  { period, name, size, all }: ChartText & { size: number },
): string {
  const which = period ? 'latest' : 'largest';
  const share = all === null ? '' : ` (${shareText(size, all)})`;
  return `The chart shows the ${shown} ${which} values of ${name}. The remaining ${numberText(others)} have ${`${numberText(size)} ${size === 1 ? 'employee' : 'employees'}`}${share}; the table has all of them.`;
}

function combinedNote(others: number, shown: number, name: string): string {
  return `Each bar shows the ${shown} largest values of ${name}. “Other” combines the remaining ${numberText(others)}; the table has all of them.`;
}

/** A share of all employees, such as "22 %". */
function shareText(size: number, all: number): string {
  const percent = (100 * size) / all;
  return percent > 0 && percent < 1 ? '< 1 %' : `${Math.round(percent)} %`;
}
