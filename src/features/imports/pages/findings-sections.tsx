import { numberText } from '../../../platform/counted.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import type { EmployeeUpload, UploadError } from '../uploads/employee-uploads.js';
import type { ErrorCause, ValueChange } from '../uploads/findings.js';
import { maximumStoredErrors } from '../uploads/upload-state.js';
import { importAddress, isRunning, rejectedAddress } from './import-pages.js';

interface UploadProps {
  readonly upload: EmployeeUpload;
}

const columns: readonly Column<UploadError>[] = [
  column('Row', ({ line, name }) => (
    <>
      Row {numberText(line)}
      {name !== '' && (
        <>
          , <bdi>{name}</bdi>
        </>
      )}
    </>
  )),
  column('Errors', ({ message }) => <bdi>{message}</bdi>),
];

export interface ErrorsSectionProps {
  readonly upload: EmployeeUpload;
  readonly errors: readonly UploadError[];
  /** The row after which the errors begin. */
  readonly after: number;
  /** The row after which the next page of errors begins. */
  readonly next: number | undefined;
}

const changeColumns: readonly Column<ValueChange>[] = [
  column('Employee', ({ employeeNumber, name }) => (
    <>
      <bdi>{name}</bdi> (<bdi>{employeeNumber}</bdi>)
    </>
  )),
  column('Attribute', ({ label }) => label),
  column('Stored value', ({ before }) => <bdi>{before || '–'}</bdi>),
  column('New value', ({ after }) => <bdi>{after || '–'}</bdi>),
];

/** The first changes that a checked import would make. */
export function ChangesSection({ upload: { state, findings } }: UploadProps) {
  const { changes = [] } = findings;
  if (state !== 'checked' || changes.length === 0) return null;
  return (
    <section>
      <h2>First changes</h2>
      <DataTable caption="The first changes of stored values" columns={changeColumns} rows={changes} />
    </section>
  );
}

/** The e-mail addresses that more than one person has, after a check and after the import. */
export function EmailWarning({ upload: { state, findings } }: UploadProps) {
  const { count = 0, first = [] } = findings.emails ?? {};
  if ((state !== 'checked' && state !== 'complete') || count === 0) return null;
  return (
    <section class="warning">
      <h2>Repeated e-mail addresses</h2>
      <p>
        {count === 1 ? '1 e-mail address belongs' : `${numberText(count)} e-mail addresses belong`} to more
        than one person. The rows {state === 'checked' ? 'will be' : 'are'} imported.
        {count > first.length && ` The first ${first.length} are listed.`}
      </p>
      <ul>
        {first.map(({ email, numbers: [one, other] }) => (
          <li key={email}>
            <bdi>{email}</bdi>: employee numbers <bdi>{one}</bdi> and <bdi>{other}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The statuses of a file that the account did not have, after a check and after the import. */
export function StatusWarning({ upload: { state, findings } }: UploadProps) {
  const { first = [], others = 0 } = findings.statuses ?? {};
  if ((state !== 'checked' && state !== 'complete') || first.length === 0) return null;
  return (
    <section class="warning">
      <h2>New statuses</h2>
      {state === 'checked' && <p>If one means a known status, choose that one under “Change columns”.</p>}
      <ul>
        {first.map(({ status, count }) => (
          <li key={status}>
            New status: <bdi>{status}</bdi> ({rowsText(count)})
          </li>
        ))}
        {others > 0 && <li>Other new statuses ({rowsText(others)})</li>}
      </ul>
    </section>
  );
}

/** For example "1 row" or "1,200 rows". */
export function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${numberText(count)} rows`;
}

/** Causes of errors that are listed, most frequent first. */
const maximumCauses = 20;

function Causes({ upload: { findings } }: UploadProps) {
  const { causes = [], otherErrors = 0 } = findings;
  const sorted = causes.toSorted((one, other) => other.count - one.count);
  const others = sorted.slice(maximumCauses).reduce((sum, { count }) => sum + count, otherErrors);
  return (
    <ul>
      {sorted.slice(0, maximumCauses).map((each) => (
        <li key={each.cause}>
          <bdi>{each.cause}</bdi> – {describeCause(each)}
        </li>
      ))}
      {others > 0 && <li>Other causes – {numberText(others)} errors</li>}
    </ul>
  );
}

/** For example "12 rows: 5, 9, 17 …". */
function describeCause({ count, lines }: ErrorCause): string {
  const listed = lines.map(numberText).join(', ');
  const more = count > lines.length ? ' …' : '';
  return `${rowsText(count)}: ${listed}${more}`;
}

/** Rejected rows up to which the list of rows shows each error, and the causes are not counted. */
const maximumUngrouped = 5;

/** The rejected rows of a file with their errors. */
export function ErrorsSection({ upload, errors, after, next }: ErrorsSectionProps) {
  const { id, rejected: rows, managersRejected } = upload;
  const rejected = rows + managersRejected;
  if (rejected === 0) return null;
  return (
    <section>
      <h2>Rejected rows</h2>
      {rejected > maximumUngrouped && <Causes upload={upload} />}
      {rows > 0 && !isRunning(upload) && (
        <p>
          <a href={rejectedAddress(id)} download>
            Download the rejected rows as CSV
          </a>{' '}
          for Excel, with the reason in the last column. Correct the rows, and upload the file as a new
          import.
        </p>
      )}
      {rejected > maximumStoredErrors && (
        <p>
          The first {numberText(maximumStoredErrors)} of {numberText(rejected)} are listed.
        </p>
      )}
      {errors.length > 0 && <DataTable caption="Rejected rows" columns={columns} rows={errors} />}
      {(after > 0 || next !== undefined) && (
        <nav aria-label="Pages" class="pager">
          {after > 0 && <a href={importAddress(id)}>« First</a>}
          {next !== undefined && (
            <a href={`${importAddress(id)}?after=${next}`} rel="next">
              Next ›
            </a>
          )}
        </nav>
      )}
    </section>
  );
}
