import type { ComponentChildren } from 'preact';
import { numberText } from '../../../platform/counted.js';
import { Badge } from '../../../platform/pages/badge.js';
import { ButtonForm, DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import type { PageView } from '../../../platform/pages/page-context.js';
import { directoryPath, importPath } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import type { RecordMember } from '../../employees/index.js';
import type { EmployeeUpload } from '../uploads/employee-uploads.js';
import {
  ChangesSection,
  EmailWarning,
  ErrorsSection,
  type ErrorsSectionProps,
  rowsText,
  StatusWarning,
} from './findings-sections.js';
import { importAddress, isRunning, parent, rejectedAddress, stateLabels } from './import-pages.js';

/** Button that cancels an import. */
export function CancelForm({ id }: { id: string }) {
  return <ButtonForm action={importAddress(id, 'cancel')}>Cancel import</ButtonForm>;
}

interface StatusPageProps extends ErrorsSectionProps {
  /** Whether the page is not loaded again automatically. */
  readonly paused: boolean;
  /** The attributes that records can have. Only for an import that is checked. */
  readonly members: readonly RecordMember[];
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

function Summary({ upload, members }: StatusPageProps) {
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
              ' Whether the managers exist is checked during the import.'}
            {members.some(({ name, type }) => type === 'employee' && upload.attributes.includes(name)) &&
              ' Whether the employees in custom attributes exist is checked during the import.'}
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
            {managersRejected > 0 &&
              `, ${numberText(managersRejected)} without the manager or another employee of the file`}
            .{' '}
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
