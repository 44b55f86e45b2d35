import { type Delimiter, readCsv } from '../csv.js';
import { type DateChoice, DateCounter } from '../dates.js';
import { splitLines } from '../lines.js';

/** What the values of a column are, in all rows of a file. */
export interface ColumnSurvey {
  readonly dates: readonly DateChoice[];
}

/** Reads all rows of a CSV file. Other work of the process runs meanwhile. */
export async function surveyColumns(
  content: AsyncIterable<Uint8Array>,
  { delimiter, columns }: { delimiter: Delimiter | null; columns: readonly string[] },
): Promise<ColumnSurvey[]> {
  const counters = columns.map(() => new DateCounter());
  let isHeader = true;
  for await (const batch of readCsv(splitLines(content), delimiter ?? undefined)) {
    for (const { fields = [] } of batch) {
      if (!isHeader) for (const [column, counter] of counters.entries()) counter.add(fields[column] ?? '');
      isHeader = false;
    }
  }
  return counters.map((counter) => ({ dates: counter.choices }));
}
