import { isStorableText } from '../../../platform/contract/outside-text.js';
import { type Delimiter, readCsv } from '../csv.js';
import { type DateChoice, DateCounter } from '../dates.js';
import { splitLines } from '../lines.js';

/** What the values of a column are, in all rows of a file. */
export interface ColumnSurvey {
  readonly dates: readonly DateChoice[];
  /** All values that are not empty, if they are few and short; otherwise empty. */
  readonly values: readonly string[];
}

const maximumValues = 10;
const maximumLength = 40;

class ValueSet {
  readonly #values = new Set<string>();
  #isTooLarge = false;

  add(given: string): void {
    const value = given.trim();
    if (this.#isTooLarge || value === '') return;
    this.#values.add(value);
    this.#isTooLarge =
      this.#values.size > maximumValues || value.length > maximumLength || !isStorableText(value);
  }

  get list(): string[] {
    return this.#isTooLarge ? [] : [...this.#values];
  }
}

/** Reads all rows of a CSV file. Other work of the process runs meanwhile. */
export async function surveyColumns(
  content: AsyncIterable<Uint8Array>,
  { delimiter, columns }: { delimiter: Delimiter | null; columns: readonly string[] },
): Promise<ColumnSurvey[]> {
  const counters = columns.map(() => ({ dates: new DateCounter(), values: new ValueSet() }));
  let isHeader = true;
  for await (const batch of readCsv(splitLines(content), delimiter ?? undefined)) {
    for (const { fields = [] } of batch) {
      for (const [column, { dates, values }] of isHeader ? [] : counters.entries()) {
        dates.add(fields[column] ?? '');
        values.add(fields[column] ?? '');
      }
      isHeader = false;
    }
  }
  return counters.map(({ dates, values }) => ({ dates: dates.choices, values: values.list }));
}
