import type { PageContext } from '../../../platform/pages/page-context.js';
import { withQuery } from '../../../platform/pages/paths.js';
import { DateInWords } from '../../../platform/pages/timestamp.js';
import { sentence, violation } from '../../../platform/problems/rule-texts.js';
import type { AsOf } from '../../employees/index.js';
import type { ReportPagesDependencies } from './report-pages.js';

const field = 'as_of';

/** The date that a query asks for. */
export interface RequestedDate {
  /** As it was entered. */
  readonly text: string;
  /** Absent: the present employees are shown. */
  readonly asOf?: AsOf;
  /** Why the date cannot be shown. */
  readonly error?: string;
}

/** The date whose employees a page of a report shows. */
export async function requestedDate(
  { query, user }: PageContext,
  { reportResults }: Pick<ReportPagesDependencies, 'reportResults'>,
): Promise<RequestedDate> {
  const text = query.text(field);
  if (text === '') return { text };
  const found = await reportResults.findAsOf(user.accountId, text);
  return 'end' in found
    ? { text, asOf: found }
    : { text, error: sentence('Date', violation('history_date', found)) };
}

/** The address of a page of a report with the employees of the same date. */
export function withDate(address: string, { asOf }: Pick<RequestedDate, 'asOf'>): string {
  return asOf === undefined ? address : withQuery(address, `${field}=${asOf.date}`);
}

/** A form that shows the report with the employees of another date. */
export function DateForm({ address, date }: { address: string; date: RequestedDate }) {
  const { text, asOf, error } = date;
  const isInvalid = error !== undefined;
  return (
    <details class="definition screen-only" open={text !== ''}>
      <summary>Employees of an earlier date</summary>
      <form method="get" action={address}>
        <div>
          <label for={field}>Date</label>
          <input
            type="date"
            id={field}
            name={field}
            value={text}
            required
            aria-invalid={isInvalid}
            aria-describedby={isInvalid ? 'as-of-error' : 'as-of-hint'}
          />
          {isInvalid ? (
            <p id="as-of-error" class="field-error" role="alert">
              {error}
            </p>
          ) : (
            <p id="as-of-hint" class="hint">
              The employees as they were at the end of the day in UTC. Deleted employees are not included.
            </p>
          )}
        </div>
        <button type="submit" class="secondary">
          Show
        </button>{' '}
        {asOf !== undefined && <a href={address}>Show the present employees</a>}
      </form>
    </details>
  );
}

/** States the date whose employees a page shows. */
export function DateNote({ date: { asOf } }: { date: Pick<RequestedDate, 'asOf'> }) {
  if (asOf === undefined) return null;
  return (
    <p>
      <strong>
        Employees as of <DateInWords date={asOf.date} />
      </strong>
    </p>
  );
}
