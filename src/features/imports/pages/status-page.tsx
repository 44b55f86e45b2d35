import type { ComponentChildren } from 'preact';
import { numberText } from '../../../platform/counted.js';
import { Badge } from '../../../platform/pages/badge.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import { ButtonForm, DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import type { PageView } from '../../../platform/pages/page-context.js';
import { directoryPath, importPath } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import type { EmployeeUpload, UploadError } from '../uploads/employee-uploads.js';
import type { ErrorCause, ValueChange } from '../uploads/findings.js';
import { maximumStoredErrors } from '../uploads/upload-state.js';
import { importAddress, isRunning, parent, rejectedAddress, stateLabels } from './import-pages.js';

/** Button that cancels an import. */
export function CancelForm({ id }: { id: string }) {
  return (
    <ButtonForm action={importAddress(id, 'cancel')} className="quiet">
      Cancel import
    </ButtonForm>
  );
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

interface ErrorsSectionProps {
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
function ChangesSection({ upload: { state, findings } }: Pick<StatusPageProps, 'upload'>) {
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
function EmailWarning({ upload: { state, findings } }: Pick<StatusPageProps, 'upload'>) {
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
function StatusWarning({ upload: { state, findings } }: Pick<StatusPageProps, 'upload'>) {
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
function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${numberText(count)} rows`;
}

/** Causes of errors that are listed, most frequent first. */
const maximumCauses = 20;

function Causes({ upload: { findings } }: Pick<StatusPageProps, 'upload'>) {
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
function ErrorsSection({ upload, errors, after, next }: ErrorsSectionProps) {
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

interface StatusPageProps extends ErrorsSectionProps {
  /** Whether the page is not loaded again automatically. */
  readonly paused: boolean;
  readonly canUndo: boolean;
}

/** An import whose columns are assigned. */
export function statusPage(props: StatusPageProps): PageView {
  return { title: titles[props.upload.state] ?? 'Import', parent, body: <Status {...props} /> };
}

function Status(props: StatusPageProps) {
  const { upload } = props;
  const { fileName, state, createdAt, finishedAt } = upload;
  return (
    <>
      {isRunning(upload) ? <Running {...props} /> : <Summary {...props} />}
      <DescriptionList>
        <DescriptionItem name="File">
          <bdi>{fileName}</bdi>
        </DescriptionItem>
        <DescriptionItem name="State">
          <Badge tone={stateLabels[state].tone}>{stateLabels[state].label}</Badge>
        </DescriptionItem>
        <DescriptionItem name="Uploaded">
          <Timestamp at={createdAt} />
        </DescriptionItem>
        {finishedAt !== null && !isRunning(upload) && (
          <DescriptionItem name={state === 'checked' ? 'Checked' : 'Ended'}>
            <Timestamp at={finishedAt} />
          </DescriptionItem>
        )}
        <CountFacts upload={upload} />
      </DescriptionList>
      <StatusWarning upload={upload} />
      <EmailWarning upload={upload} />
      <ErrorsSection {...props} />
      <Steps {...props} />
      <ChangesSection upload={upload} />
    </>
  );
}

const titles: Partial<Record<EmployeeUpload['state'], string>> = {
  checking: 'Checking the file',
  checked: 'Result of the check',
  importing: 'Importing employees',
  complete: 'Import complete',
  cancelled: 'Import cancelled',
  failed: 'Import failed',
  undone: 'Import undone',
};

function Running({ upload, paused }: StatusPageProps) {
  const { id, bytes, bytesRead, read, cancelRequested } = upload;
  const percent = bytes === 0 ? 0 : Math.min(100, Math.floor((100 * bytesRead) / bytes));
  return (
    <>
      <p role="status">
        {cancelRequested
          ? 'The import stops after the current batch.'
          : `${numberText(read)} rows read, ${percent} % of the file.`}
      </p>
      <progress value={percent} max={100} aria-label="Part of the file that is read" />
      <p>
        {paused ? (
          <>
            <a href={importAddress(id)}>Refresh automatically</a> or{' '}
            <a href={`${importAddress(id)}?refresh=off`}>refresh once</a>.
          </>
        ) : (
          <>
            This page refreshes every 2 seconds. <a href={importAddress(id)}>Refresh</a> or{' '}
            <a href={`${importAddress(id)}?refresh=off`}>pause</a>. You can leave it: the work continues.
          </>
        )}
      </p>
    </>
  );
}

/** Attributes that name a manager. */
const managerMembers: readonly string[] = ['manager_id', 'manager_employee_number'];

function Summary({ upload }: StatusPageProps) {
  const { state, failure, created, updated, unchanged, managersRejected } = upload;
  const rejected = upload.rejected + managersRejected;
  const stored = created + updated + unchanged;
  switch (state) {
    case 'checked':
      return (
        <Box tone={rejected === 0 ? 'notice' : 'warning'}>
          <p>
            Nothing is changed yet.
            {rejected > 0 && ' Rejected rows will not be imported; the others will.'}
            {upload.attributes.some((name) => managerMembers.includes(name)) &&
              ' Managers are checked by the import.'}
          </p>
        </Box>
      );
    case 'complete':
      return (
        <Box tone={rejected === 0 ? 'notice' : 'warning'}>
          <p>
            <strong>
              {numberText(stored)} imported, {numberText(upload.rejected)} rejected
            </strong>
            {managersRejected > 0 && `, ${numberText(managersRejected)} without the manager of the file`}.{' '}
            {upload.rejected > 0 && (
              <>
                <a href={rejectedAddress(upload.id)} download>
                  Download the rejected rows
                </a>{' '}
                or{' '}
              </>
            )}
            <a href={directoryPath}>{upload.rejected > 0 ? 'go to the directory' : 'Go to the directory'}</a>
          </p>
        </Box>
      );
    case 'cancelled':
      return (
        <Box tone="warning">
          <p>The file is deleted. Employees that were imported before remain.</p>
        </Box>
      );
    case 'undone':
      return <Box tone="notice">{describeUndone(upload)}</Box>;
    default:
      return (
        <Box tone="alert">
          <p>
            {failure} The file is deleted. Employees that were imported before remain.{' '}
            <a href={importPath}>Upload the file again</a>; rows that are stored are not changed.
          </p>
        </Box>
      );
  }
}

function describeUndone({ findings: { undone } }: EmployeeUpload) {
  const { deleted = 0, restored = 0, kept = 0, managersKept = 0 } = undone ?? {};
  return (
    <>
      <p>
        Employees deleted: {numberText(deleted)}. Employees with their values from before the import:{' '}
        {numberText(restored)}.
      </p>
      {kept > 0 && (
        <p>{kept === 1 ? '1 person was' : `${numberText(kept)} people were`} changed since and stay.</p>
      )}
      {managersKept > 0 && (
        <p>
          {managersKept === 1
            ? '1 person keeps the manager'
            : `${numberText(managersKept)} people keep the managers`}{' '}
          of the import, because the earlier ones are deleted or report to them.
        </p>
      )}
    </>
  );
}

function Box({ tone, children }: { tone: 'notice' | 'warning' | 'alert'; children: ComponentChildren }) {
  return (
    <div class={tone} role="status">
      {children}
    </div>
  );
}

function CountFacts({ upload }: Pick<StatusPageProps, 'upload'>) {
  const { state, read, created, updated, unchanged, rejected, superseded, managersRejected } = upload;
  const isCheck = state === 'checking' || state === 'checked';
  return (
    <>
      <DescriptionItem name="Rows read">{numberText(read)}</DescriptionItem>
      <DescriptionItem name={isCheck ? 'To be created' : 'Created'}>{numberText(created)}</DescriptionItem>
      <DescriptionItem name={isCheck ? 'To be updated' : 'Updated'}>{numberText(updated)}</DescriptionItem>
      <DescriptionItem name="Unchanged">{numberText(unchanged)}</DescriptionItem>
      <DescriptionItem name="Rejected">{numberText(rejected)}</DescriptionItem>
      {managersRejected > 0 && (
        <DescriptionItem name="Imported without manager (not found)">
          {numberText(managersRejected)}
        </DescriptionItem>
      )}
      {superseded > 0 && (
        <DescriptionItem name="Replaced by a later row">{numberText(superseded)}</DescriptionItem>
      )}
    </>
  );
}

/** The actions of the user in the state. */
function Steps({ upload, canUndo }: StatusPageProps) {
  const { id, state, read, rejected, expiresAt } = upload;
  if (isRunning(upload)) return <CancelForm id={id} />;
  if (canUndo) {
    return (
      <p>
        <a class="button secondary" href={importAddress(id, 'undo')}>
          Undo import
        </a>{' '}
        Until <Timestamp at={expiresAt} />.
      </p>
    );
  }
  if (state !== 'checked') return null;
  return (
    <>
      <p class="hint">Rows are compared with the employees that are stored now.</p>
      <div class="actions">
        {rejected < read && (
          <ButtonForm action={importAddress(id, 'start')} className={null}>
            Import {rowsText(read - rejected)}
          </ButtonForm>
        )}
        <p>
          <a class="button secondary" href={importAddress(id, 'columns')}>
            Change columns
          </a>
        </p>
        <CancelForm id={id} />
      </div>
    </>
  );
}
