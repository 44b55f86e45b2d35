import type { Prisma } from '../generated/client.js';

/** A COPY statement, and the query that sets its parameters in the same transaction. */
export interface CopyStatement {
  readonly text: string;
  readonly settings: { readonly text: string; readonly values: readonly [string[]] };
}

// The aggregate returns one row for any number of parameters.
const setParameters = `
  SELECT count(set_config('people_api.p' || number, value, true))
  FROM unnest($1::text[]) WITH ORDINALITY AS parameter (value, number)`;

/**
 * Converts a query to a COPY statement. COPY does not accept bind parameters, so each value becomes a setting of the
 * transaction, which the statement reads. The text of the statement contains no values.
 *
 * @throws {TypeError} for a value that is neither a string nor an array of strings
 */
export function copyStatement({ strings, values }: Pick<Prisma.Sql, 'strings' | 'values'>): CopyStatement {
  const query = strings
    .map((text, index) => (index === 0 ? text : `${reference(values[index - 1], index)}${text}`))
    .join('');
  return {
    text: `COPY (${query}) TO STDOUT (FORMAT csv, HEADER)`,
    settings: { text: setParameters, values: [values.map(toSetting)] },
  };
}

function reference(value: unknown, number: number): string {
  const setting = `current_setting('people_api.p${number}')`;
  if (typeof value === 'string') return setting;
  // The subquery runs once. Without it, the list would be parsed for each row.
  if (isTextList(value))
    return `(SELECT coalesce(array_agg(text), '{}') FROM jsonb_array_elements_text(${setting}::jsonb) AS text)`;
  throw new TypeError(`Parameter ${number} of a COPY statement is neither text nor a list of texts`);
}

function toSetting(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
