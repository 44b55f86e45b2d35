import { type Column, DataTable } from '../../../platform/pages/data-table.js';
import { describedBy, ErrorSummary, FieldError, type FormError } from '../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageHandler } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { importPath } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { recordMembers } from '../../employees/index.js';
import type { EmployeeUpload } from '../uploads/employee-uploads.js';
import { type FilePreview, shorten } from '../uploads/file-preview.js';
import { type ImportPagesDependencies, importAddress, requestedImport } from './import-pages.js';
import { CancelForm } from './status-page.js';

const fieldOf = (column: number) => `column_${column}`;

/** The form that assigns attributes to the columns of a file, with its first rows. */
export function columnsPages(site: PageRouter, dependencies: ImportPagesDependencies): void {
  const { uploads, uploadSteps, wakeImports } = dependencies;
  const path = importAddress(':id', 'columns');

  const show: PageHandler = async (context) => {
    const upload = await requestedImport(context, dependencies);
    if (upload.state !== 'uploaded' && upload.state !== 'checked')
      return { redirect: importAddress(upload.id) };
    const preview = await uploads.preview(context.user.accountId, upload);
    return { page: <ColumnsPage {...{ context, upload, preview }} chosen={upload.attributes} /> };
  };

  site.get(path, show);

  site.post(
    path,
    async (context) => {
      const upload = await requestedImport(context, dependencies);
      const chosen = chosenIn(context, upload);
      const outcome = await uploadSteps.startCheck(context.auditContext, upload.id, chosen);
      const address = importAddress(upload.id);
      if (outcome === 'started') wakeImports();
      if (outcome === 'running') return { redirect: withNotice(address, 'import_running') };
      if (outcome === 'started' || outcome === 'state') return { redirect: address };
      if (upload.state !== 'uploaded' && upload.state !== 'checked') return { redirect: address };
      const preview = await uploads.preview(context.user.accountId, upload);
      const errors = outcome.map(({ column, message }) => ({ field: fieldOf(column), message }));
      return { status: 400, page: <ColumnsPage {...{ context, upload, preview, chosen, errors }} /> };
    },
    {
      restore: async (context) => {
        const upload = await requestedImport(context, dependencies);
        if (upload.state !== 'uploaded' && upload.state !== 'checked')
          return { redirect: importAddress(upload.id) };
        const preview = await uploads.preview(context.user.accountId, upload);
        return {
          page: <ColumnsPage {...{ context, upload, preview }} chosen={chosenIn(context, upload)} />,
        };
      },
    },
  );
}

function chosenIn({ form }: PageContext, { columns }: EmployeeUpload): string[] {
  return columns.map((_, column) => form.text(fieldOf(column)));
}

const delimiterNames: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };

interface ColumnsPageProps {
  readonly context: PageContext;
  readonly upload: EmployeeUpload;
  readonly preview: FilePreview;
  /** The attribute of each column; empty: the column is ignored. */
  readonly chosen: readonly string[];
  readonly errors?: readonly FormError[];
}

/** The columns of a file. */
export function ColumnsPage({ context, upload, preview, chosen, errors = [] }: ColumnsPageProps) {
  const { id, fileName, format, delimiter, columns } = upload;
  const title = 'Assign columns';
  return (
    <SitePage
      context={context}
      title={title}
      parent={{ title: 'Import employees', href: importPath }}
      hasErrors={errors.length > 0}
    >
      <h1>{title}</h1>
      <ErrorSummary errors={errors} />
      <p>
        <strong>
          <bdi>{fileName}</bdi>
        </strong>
        {format === 'csv'
          ? `: CSV with ${delimiterNames[delimiter ?? ','] ?? 'commas'} between ${columns.length} columns.`
          : `: JSON Lines with ${columns.length} members.`}
      </p>
      <form method="post" action={importAddress(id, 'columns')} class="fields">
        <CsrfField token={context.csrfToken} />
        {columns.map((name, column) => (
          <ColumnField
            key={fieldOf(column)}
            id={fieldOf(column)}
            name={shownName(name, column)}
            example={preview.rows.find((row) => row[column])?.[column]}
            chosen={chosen[column] ?? ''}
            error={errors.find(({ field }) => field === fieldOf(column))?.message}
          />
        ))}
        <div class="actions">
          <button type="submit">Check the file</button>
          <span class="note">The check changes nothing.</span>
        </div>
      </form>
      <CancelForm context={context} id={id} />
      {preview.rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a region that has the focus
        <section class="scrolling" tabIndex={0} aria-label="First rows">
          <h2>First rows</h2>
          <DataTable
            caption="First rows of the file"
            columns={previewColumns(columns)}
            rows={[...preview.rows.entries()]}
            rowKey={([index]) => String(index)}
          />
        </section>
      )}
    </SitePage>
  );
}

function ColumnField(props: {
  id: string;
  name: string;
  example: string | undefined;
  chosen: string;
  error: string | undefined;
}) {
  const { id, name, example, chosen, error } = props;
  const hint = example === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>
        <bdi>{name}</bdi>
      </label>
      {example !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          For example <bdi>{example}</bdi>
        </p>
      )}
      <FieldError field={id} message={error} />
      <select id={id} name={id} {...describedBy(id, { error: error !== undefined, hint })}>
        <option value="">Ignore</option>
        {recordMembers.map((attribute) => (
          <option key={attribute.name} value={attribute.name} selected={attribute.name === chosen}>
            {attribute.nullable ? attribute.label : `${attribute.label} (required)`}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Characters of the name of a column. */
const longestName = 60;

function shownName(name: string, column: number): string {
  return name === '' ? `Column ${column + 1}` : shorten(name, longestName);
}

function previewColumns(names: readonly string[]): Column<[number, readonly string[]]>[] {
  return names.map((name, column) => {
    const label = shownName(name, column);
    return {
      key: fieldOf(column),
      label,
      heading: <bdi>{label}</bdi>,
      cell: ([, row]) => <bdi>{row[column]}</bdi>,
    };
  });
}
