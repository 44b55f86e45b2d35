import { Fragment } from 'preact';
import { Badge } from '../../../platform/pages/badge.js';
import { type Column, DataTable } from '../../../platform/pages/data-table.js';
import { withFlash } from '../../../platform/pages/flash.js';
import { FieldError, Form, useDescription } from '../../../platform/pages/form-parts.js';
import type {
  PageContext,
  PageHandler,
  PageResponse,
  PageView,
} from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import type { RecordMember } from '../../employees/index.js';
import { type DateChoice, dateNames, detectDateFormat, isDateFormat, orderOf } from '../dates.js';
import type { EmployeeUpload } from '../uploads/employee-uploads.js';
import { type FilePreview, shorten } from '../uploads/file-preview.js';
import type { ColumnAssignment } from '../uploads/upload-state.js';
import {
  type ImportPagesDependencies,
  importAddress,
  isWorkbook,
  parent,
  requestedImport,
} from './import-pages.js';
import { CancelForm } from './status-page.js';
import { FixedValueFields, StatusFields, valuesIn } from './value-fields.js';

const fieldOf = (column: number) => `column_${column}`;
const dateFieldOf = (column: number) => `date_${column}`;

/** The form that assigns attributes to the columns of a file, with its first rows. */
export function columnsPages(site: PageRouter, dependencies: ImportPagesDependencies): void {
  const { uploads, uploadSteps, wakeImports } = dependencies;
  const path = importAddress(':id', 'columns');

  const show = async (
    { user }: PageContext,
    upload: EmployeeUpload,
    chosen: ColumnAssignment = upload,
  ): Promise<PageResponse> => {
    if (upload.state !== 'uploaded' && upload.state !== 'checked')
      return { redirect: importAddress(upload.id) };
    return columnsPage({
      upload,
      members: await uploads.members(user.accountId),
      preview: await uploads.preview({ accountId: user.accountId, id: upload.id }, upload),
      chosen,
    });
  };

  site.get(path, async (context) => show(context, await requestedImport(context, dependencies)));

  const readChosen = async (context: PageContext, upload: EmployeeUpload) =>
    chosenIn(context, upload, await uploads.members(context.user.accountId));

  const check: PageHandler = async (context) => {
    const upload = await requestedImport(context, dependencies);
    const chosen = await readChosen(context, upload);
    const outcome = await uploadSteps.startCheck(context.auditContext, upload.id, chosen);
    const address = importAddress(upload.id);
    if (outcome === 'started') wakeImports();
    if (outcome === 'running') return { redirect: withFlash(address, 'import_running') };
    if (outcome === 'started' || outcome === 'state') return { redirect: address };
    const errors = outcome.map(({ column, field, message }) => ({
      field: field === 'date' ? dateFieldOf(column) : fieldOf(column),
      message,
    }));
    return { ...(await show(context, upload, chosen)), errors };
  };
  site.post(path, check, {
    recentPassword: ['no', 'starts a check, which changes nothing'],
    restore: async (context) => {
      const upload = await requestedImport(context, dependencies);
      return show(context, upload, await readChosen(context, upload));
    },
  });
}

function chosenIn(
  { form }: PageContext,
  { columns, survey }: EmployeeUpload,
  members: readonly RecordMember[],
): ColumnAssignment {
  const attributes = columns.map((_, column) => form.text(fieldOf(column)));
  return {
    attributes,
    ...valuesIn(form, { attributes, survey, members }),
    dateFormats: columns.map((_, column) => {
      const field = dateFieldOf(column);
      // The form has the field only for columns that were assigned to a date when it was shown.
      return form.list(field).length > 0
        ? form.text(field)
        : (detectDateFormat(survey[column]?.dates ?? []) ?? '');
    }),
  };
}

const delimiterNames: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };

interface ColumnsProps {
  readonly upload: EmployeeUpload;
  /** The attributes to which columns can be assigned. */
  readonly members: readonly RecordMember[];
  readonly preview: FilePreview;
  readonly chosen: ColumnAssignment;
}

/** The columns of a file. */
export function columnsPage(props: ColumnsProps): PageView {
  return { title: 'Assign columns', parent, body: <Columns {...props} /> };
}

function Columns({ upload, members, preview, chosen: given }: ColumnsProps) {
  const { id, fileName, columns } = upload;
  const chosen = withoutRemoved(given, members);
  const dates = dateNames(members);
  const assigned = columns.filter((_, column) => chosen.attributes[column]).length;
  return (
    <>
      <p>
        <strong>
          <bdi>{fileName}</bdi>
        </strong>
        : {describeFile(upload)}.{describeCharacters(upload)}
      </p>
      <p>
        {assigned} of {columns.length} columns recognized.
        {assigned < columns.length && ' The others are marked, and ignored unless you assign them.'}
      </p>
      <Form
        action={importAddress(id, 'columns')}
        validated
        button="Check the file"
        more={<span class="note">The check changes nothing.</span>}
      >
        {columns.map((name, column) => (
          <Fragment key={fieldOf(column)}>
            <ColumnField
              id={fieldOf(column)}
              name={shownName(name, column)}
              example={preview.rows.find((row) => row[column])?.[column]}
              chosen={chosen.attributes[column] ?? ''}
              members={members}
            />
            {dates.has(chosen.attributes[column] ?? '') && (
              <DateField
                id={dateFieldOf(column)}
                name={shownName(name, column)}
                dates={upload.survey[column]?.dates ?? []}
                chosen={chosen.dateFormats[column] ?? ''}
              />
            )}
          </Fragment>
        ))}
        <StatusFields survey={upload.survey} chosen={chosen} />
        <FixedValueFields chosen={chosen} members={members} />
      </Form>
      <CancelForm id={id} />
      {preview.rows.length > 0 && (
        <>
          <h2>First rows</h2>
          <DataTable caption="First rows of the file" columns={previewColumns(columns)} rows={preview.rows} />
        </>
      )}
    </>
  );
}

function describeFile(upload: EmployeeUpload): string {
  const { source, format, delimiter, columns } = upload;
  if (isWorkbook(upload)) return `${source}, with ${columns.length} columns`;
  return format === 'csv'
    ? `CSV with ${columns.length} columns, separated by ${delimiterNames[delimiter ?? ','] ?? 'commas'}`
    : `JSON with ${columns.length} columns, one object on each line`;
}

/** Names of encodings, for users who see wrong letters. */
const characterNames: Readonly<Record<string, string>> = {
  'Windows-1252': 'Western European (Windows-1252)',
  'UTF-16': 'Unicode (UTF-16)',
};

/** A sentence about the encoding of a file that had to be converted; otherwise empty. */
function describeCharacters(upload: EmployeeUpload): string {
  const { source } = upload;
  if (source === null || isWorkbook(upload)) return '';
  return ` Characters: ${characterNames[source] ?? source}.`;
}

/** The assignment without attributes that were archived or deleted since. */
function withoutRemoved(chosen: ColumnAssignment, members: readonly RecordMember[]): ColumnAssignment {
  const known = new Set(members.map(({ name }) => name));
  return { ...chosen, attributes: chosen.attributes.map((name) => (known.has(name) ? name : '')) };
}

interface ColumnFieldProps {
  readonly id: string;
  readonly name: string;
  readonly example: string | undefined;
  readonly chosen: string;
  readonly members: readonly RecordMember[];
}

function ColumnField({ id, name, example, chosen, members }: ColumnFieldProps) {
  const hint = example === undefined && chosen !== '' ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>
        <bdi>{name}</bdi>
      </label>
      {hint !== undefined && (
        <p class="hint" id={hint}>
          {chosen === '' && (
            <>
              <Badge tone="caution">Not assigned</Badge>{' '}
            </>
          )}
          {example !== undefined && (
            <>
              For example <bdi>{example}</bdi>
            </>
          )}
        </p>
      )}
      <FieldError field={id} />
      <select id={id} name={id} {...useDescription(id, hint)}>
        <option value="">Ignore</option>
        {members.map((attribute) => (
          <option key={attribute.name} value={attribute.name} selected={attribute.name === chosen}>
            {optionLabel(attribute)}
          </option>
        ))}
      </select>
    </div>
  );
}

function optionLabel({ name, label, required }: RecordMember): string {
  if (name === 'manager_id') return `${label} (ID in the API)`;
  return required ? `${label} (required)` : label;
}

/** How a column writes its dates, with an example of each way in which its values can be read. */
function DateField(props: { id: string; name: string; dates: readonly DateChoice[]; chosen: string }) {
  const { id, name, dates, chosen } = props;
  const [only] = dates;
  if (only === undefined) return null;
  if (dates.length === 1 && only.format === chosen) {
    return (
      <p class="hint">
        Dates of <bdi>{name}</bdi>: {describeChoice(only)}
      </p>
    );
  }
  return (
    <div class="field">
      <label for={id}>
        Dates of <bdi>{name}</bdi>
      </label>
      <FieldError field={id} />
      <select id={id} name={id} {...useDescription(id)}>
        {!isDateFormat(chosen) && <option value="">Choose what is right</option>}
        {dates.map((choice) => (
          <option key={choice.format} value={choice.format} selected={choice.format === chosen}>
            {describeChoice(choice)}
          </option>
        ))}
      </select>
    </div>
  );
}

function describeChoice({ format, example, date }: DateChoice): string {
  return `${example} → ${dateText(date)} (${orderOf(format)})`;
}

function dateText(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}

/** Characters of the name of a column. */
const longestName = 60;

function shownName(name: string, column: number): string {
  return name === '' ? `Column ${column + 1}` : shorten(name, longestName);
}

function previewColumns(names: readonly string[]): Column<readonly string[]>[] {
  return names.map((name, column) => {
    const label = shownName(name, column);
    return { label, heading: <bdi>{label}</bdi>, cell: (row) => <bdi>{row[column]}</bdi> };
  });
}
