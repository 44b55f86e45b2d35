import { numberText } from '../../../platform/pages/charts/chart-data.js';
import { type Column, DataTable } from '../../../platform/pages/data-table.js';
import type { ResultPage } from '../results/report-results.js';

type Row = ResultPage['rows'][number];

/** A page of the result of a report. An empty cell of a group is "None", as in its chart. */
export function ResultTable({ result, caption }: { result: ResultPage; caption: string }) {
  const { columns, rows } = result;
  const grouped = columns.at(-1)?.key === 'count';
  const shown = columns.map(
    ({ key, label, type }, index): Column<Row> => ({
      key,
      label,
      heading: label,
      cell: ({ values }) => {
        const value = values[index] ?? null;
        if (value === null) return grouped ? <em>None</em> : '–';
        return type === 'integer' && key === 'count' ? numberText(Number(value)) : <bdi>{value}</bdi>;
      },
    }),
  );
  return (
    <div class="result">
      <DataTable caption={caption} columns={shown} rows={rows} rowKey={({ id }) => id} />
    </div>
  );
}
