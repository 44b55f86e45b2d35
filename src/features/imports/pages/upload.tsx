import { isStorableText } from '../../../platform/contract/outside-text.js';
import { csvLine } from '../../../platform/database/cursor-csv.js';
import { Badge } from '../../../platform/pages/badge.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import { rejected } from '../../../platform/pages/define-pages.js';
import { CsrfField, FieldError, useDescription } from '../../../platform/pages/form-parts.js';
import type { PageContext, PageResponse, PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { directoryPath, importPath } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { workbook, workbookType } from '../../../platform/pages/workbook.js';
import { type CustomType, type RecordMember, requiredMembers } from '../../employees/index.js';
import { headings, isCustom, requiredIn } from '../custom-columns.js';
import type { EmployeeUpload } from '../uploads/employee-uploads.js';
import {
  type FileFormat,
  maximumFileBytes,
  maximumFiles,
  maximumImports,
  retentionHours,
  undoDays,
} from '../uploads/upload-state.js';
import { type ImportPagesDependencies, importAddress, stateLabels } from './import-pages.js';

const fileField = 'file';

const csvTemplatePath = `${importPath}/template.csv`;
const workbookTemplatePath = `${importPath}/template.xlsx`;

async function* rowOf(cells: readonly string[]) {
  yield [cells];
}

/** The form for a file, and the imports of the account. */
export function uploadPages(site: PageRouter, { uploads }: ImportPagesDependencies): void {
  const show = async (context: PageContext): Promise<PageView> => {
    const { accountId, at } = context.auditContext;
    const imports = await uploads.list(accountId, at);
    const members = await uploads.members(accountId);
    return { title: 'Import employees', body: <Upload imports={imports} members={members} /> };
  };
  const rejection = async (context: PageContext, message: string, status = 400): Promise<PageResponse> => ({
    ...(await show(context)),
    ...rejected(fileField, message, status),
  });
  const tooLarge = (context: PageContext) =>
    rejection(context, 'The file must not be larger than 50 MB.', 413);

  site.download(csvTemplatePath, async ({ user }) => {
    const labels = headings(await uploads.members(user.accountId));
    return {
      fileName: 'employees.csv',
      make: async function* () {
        yield Buffer.from(csvLine(labels).replace(/\n$/, '\r\n'));
      },
    };
  });
  site.download(workbookTemplatePath, async ({ user }) => {
    const labels = headings(await uploads.members(user.accountId));
    return {
      fileName: 'employees.xlsx',
      mediaType: workbookType,
      make: () => workbook('Employees', rowOf(labels)),
    };
  });

  site.upload(
    importPath,
    async (context, file) => {
      if (file === null) return await rejection(context, 'Select a file.');
      if (file.isTooLarge) return await tooLarge(context);
      const outcome = await uploads.upload(context.auditContext, {
        name: displayName(file.name),
        format: formatOf(context.form.text('format'), file.name),
        content: file.content,
      });
      switch (outcome.kind) {
        case 'stored':
          return { redirect: importAddress(outcome.id) };
        case 'too_large':
          return await tooLarge(context);
        case 'unusable':
          return await rejection(context, `The file cannot be imported: ${outcome.message}.`);
        case 'too_many_files':
          return await rejection(
            context,
            `An account can have ${maximumFiles} files at a time. Import or cancel one of the list first.`,
            429,
          );
        case 'too_many_imports':
          return await rejection(
            context,
            `An account can have ${maximumImports} imports in 24 hours. Try again later.`,
            429,
          );
      }
    },
    {
      show,
      // One more byte, so that a larger file is detected.
      maximumBytes: maximumFileBytes + 1,
      reason: 'leads to an import; stores the file only',
    },
  );
}

/** The name of a file as it is shown and recorded. */
function displayName(name: string): string {
  const text = isStorableText(name) ? name.replaceAll(/\p{Cc}/gu, ' ').trim() : '';
  return text === '' ? 'file' : text.slice(0, 200).toWellFormed();
}

/** `null`: the content decides. */
function formatOf(chosen: string, name: string): FileFormat | null {
  if (chosen === 'csv' || chosen === 'jsonl') return chosen;
  if (/\.(jsonl|ndjson)$/i.test(name)) return 'jsonl';
  return /\.(csv|tsv)$/i.test(name) ? 'csv' : null;
}

function requiredText(attributes: readonly RecordMember[]): string {
  return requiredIn(attributes)
    .map((members) => members.map(({ label }) => label).join(' or '))
    .join(', ');
}

function Upload({
  imports,
  members,
}: {
  imports: readonly EmployeeUpload[];
  members: readonly RecordMember[];
}) {
  return (
    <>
      <p>
        Upload a file with a row for each employee. On the next page, you assign its columns. Nothing is
        changed before you have seen the result of a check and confirmed it.
      </p>
      <form method="post" action={importPath} encType="multipart/form-data" class="fields">
        <CsrfField />
        <FileField />
        <div class="field">
          <label for="format">Format</label>
          <select id="format" name="format">
            <option value="">Recognize from the file</option>
            <option value="csv">CSV</option>
            <option value="jsonl">JSON, one object on each line</option>
          </select>
        </div>
        <div class="actions">
          <button type="submit">Upload</button>
          <a href={directoryPath}>Cancel</a>
        </div>
      </form>
      {imports.length > 0 && (
        <section>
          <h2>Latest imports</h2>
          <p class="hint">
            Files are listed for {retentionHours} hours, and imports for {undoDays} days.
          </p>
          <DataTable caption="Latest imports" columns={columns} rows={imports} />
        </section>
      )}
      <section>
        <h2>Columns</h2>
        <p>
          The first row names the columns. Required are {requiredText(members)}. Of an Excel workbook (.xlsx),
          the first visible sheet is read. CSV can have commas, semicolons or tabs between the columns. For
          developers: JSON with one object on each line is read too.
        </p>
        <p>
          The columns can have these or other names and any order. You can start with a template:{' '}
          <a href={workbookTemplatePath} download>
            Excel workbook
          </a>{' '}
          or{' '}
          <a href={csvTemplatePath} download>
            CSV
          </a>
          .
        </p>
        <DataTable caption="Columns" columns={memberColumns} rows={members} />
      </section>
    </>
  );
}

function FileField() {
  return (
    <div class="field">
      <label for={fileField}>File</label>
      <p class="hint" id="file-hint">
        Excel or CSV, up to 50 MB.
      </p>
      <FieldError field={fileField} />
      <input
        type="file"
        id={fileField}
        name={fileField}
        accept=".xlsx,.xlsm,.csv,.tsv,.txt,.jsonl,.ndjson,text/csv,text/plain"
        required
        {...useDescription(fileField, 'file-hint')}
      />
    </div>
  );
}

const typeHints: Readonly<Partial<Record<string, string>>> = {
  date: 'A date, such as 2023-02-28 or 28.2.2023',
  number: 'A number, such as 1234.5',
  boolean: 'Yes or no',
  choice: 'One of the choices',
  choices: 'One or more of the choices, with semicolons between them',
  employee: 'Employee number or ID in the API of the employee',
} satisfies Partial<Record<CustomType, string>>;

const valueHints: Readonly<Record<string, string>> = {
  status: 'Active, On leave, Inactive or Terminated, or your own words, which you assign on the next page',
  manager_id: 'ID of the manager in the API',
  manager_employee_number: 'Employee number of the manager',
};

const memberColumns: readonly Column<RecordMember>[] = [
  column('Column', (member) => (isCustom(member) ? <bdi>{member.label}</bdi> : member.label)),
  column('Required', (member) => {
    const [first, ...others] = requiredMembers.find((members) => members.includes(member)) ?? [];
    if (first === undefined) return isCustom(member) && member.required ? 'Yes' : 'No';
    return others.length === 0 ? 'Yes' : 'One of the two names';
  }),
  column('Values', ({ name, type = '' }) => valueHints[name] ?? typeHints[type] ?? 'Text'),
];

const columns: readonly Column<EmployeeUpload>[] = [
  column('File', ({ id, fileName }) => (
    <a href={importAddress(id)}>
      <bdi>{fileName}</bdi>
    </a>
  )),
  column('Uploaded', ({ createdAt }) => <Timestamp at={createdAt} />),
  column('State', ({ state }) => <Badge tone={stateLabels[state].tone}>{stateLabels[state].label}</Badge>),
];
