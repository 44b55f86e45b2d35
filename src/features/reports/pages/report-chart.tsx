import type { ComponentChildren } from 'preact';
import { BarChart } from '../../../platform/pages/charts/bar-chart.js';
import { type ChartBar, numberText, totalOf } from '../../../platform/pages/charts/chart-data.js';
import { ColumnChart } from '../../../platform/pages/charts/column-chart.js';
import type { ReportDefinition } from '../report.js';
import type { GroupKey } from '../report-columns.js';
import { type ChartData, type ChartValue, chartKeys, maximumChartValues } from '../results/report-charts.js';
import { inSentence, keyLabel } from './definition.js';
import { useValueText } from './value-text.js';

/** The chart of a grouped report: bars, or columns for years. The second key is stacked. */
export function ReportChart({
  chart,
  report: { groupBy },
  children,
}: {
  chart: ChartData;
  report: Pick<ReportDefinition, 'groupBy'>;
  /** The table. */
  children?: ComponentChildren;
}) {
  const keys = chartKeys(groupBy);
  const byYear = keys.bars === 'hire_year';
  const valueText = useValueText();
  const label = (value: ChartValue, key: GroupKey) =>
    chartLabel(value, { isYear: key === 'hire_year' && byYear, text: (text) => valueText(key, text) });
  const series = chart.stacks.map((stack) => ({
    label: keys.stacks === undefined ? 'Employees' : label(stack, keys.stacks),
  }));
  const bars = chart.bars.map((value, index): ChartBar => {
    const values = chart.counts[index] ?? [];
    const bar = { key: String(index), label: label(value, keys.bars), values };
    const parts = values.flatMap((count, part) =>
      count > 0 ? [`${series[part]?.label}: ${numberText(count)}`] : [],
    );
    const total = `${bar.label}: ${numberText(totalOf(bar))}`;
    return { ...bar, text: keys.stacks === undefined ? total : `${total} (${parts.join(', ')})` };
  });
  const names = [keys.bars, ...(keys.stacks === undefined ? [] : [keys.stacks])].map((key) =>
    inSentence(keyLabel(key)),
  );
  const text = {
    id: 'chart',
    title: `Employees by ${names.join(' and ')}`,
    description: describe(bars, { byYear, name: names[0] ?? '' }),
    series,
  };
  const notes = [
    ...combinedNote(chart.bars, { byYear, name: names[0] ?? '' }),
    ...combinedNote(chart.stacks, { byYear: false, name: names[1] ?? '' }),
  ];
  return (
    <section class="report-chart">
      <h2>Chart</h2>
      {notes.map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
      {byYear ? (
        <ColumnChart {...text} columns={bars} labelEvery={Math.ceil(bars.length / maximumYears)} labelLast>
          {children}
        </ColumnChart>
      ) : (
        <BarChart {...text} bars={bars}>
          {children}
        </BarChart>
      )}
    </section>
  );
}

/** Labels of years on the horizontal axis, at most: they are shorter than those of days. */
const maximumYears = 6;

/** Characters of a label. The table has the whole value. */
const longestLabel = 60;

function chartLabel(
  value: ChartValue,
  { isYear, text }: { isYear: boolean; text: (value: string) => string },
): string {
  if ('others' in value) return isYear ? 'Earlier' : 'Other';
  if (value.value === null) return 'None';
  if (value.value === '') return 'Empty text';
  const label = text(value.value);
  const characters = [...label];
  return characters.length <= longestLabel ? label : `${characters.slice(0, longestLabel - 1).join('')}…`;
}

function describe(bars: readonly ChartBar[], { byYear, name }: { byYear: boolean; name: string }): string {
  const total = bars.reduce((sum, bar) => sum + totalOf(bar), 0);
  const highest = bars.reduce((one, other) => (totalOf(other) > totalOf(one) ? other : one));
  const order = byYear ? 'In the order of the years' : 'Largest first';
  return `${order}. ${highest.label} is the highest ${name} with ${numberText(totalOf(highest))} of ${numberText(total)} employees. The table has the numbers.`;
}

function combinedNote(
  values: readonly ChartValue[],
  { byYear, name }: { byYear: boolean; name: string },
): string[] {
  const combined = values.find((value) => 'others' in value);
  if (combined === undefined || !('others' in combined)) return [];
  const [which, word] = byYear ? ['latest', 'Earlier'] : ['largest', 'Other'];
  return [
    `The chart shows the ${maximumChartValues} ${which} values of ${name}. “${word}” combines the remaining ${numberText(combined.others)}. The table has all of them.`,
  ];
}
