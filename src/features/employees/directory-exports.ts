import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import type { AuditedExports, CsvChunks } from '../../platform/audit/audited-exports.js';
import { csvLine } from '../../platform/database/cursor-csv.js';
import type { Directory, DirectoryFilter } from './directory.js';
import { type AttributeName, employeeAttributes, formatStatus } from './employee-attributes.js';
import type { EmployeeSort } from './employee-query.js';

const columnNames: ReadonlySet<AttributeName> = new Set([
  'employee_number',
  'first_name',
  'last_name',
  'email',
  'department',
  'job_title',
  'status',
]);

/** The attributes that the directory shows. */
const columns = employeeAttributes.filter(({ name, inDirectory }) => inDirectory || columnNames.has(name));

/** Formats rows of an export as people read them: with the label of the status. */
export async function formatDirectoryRows(rows: readonly (readonly string[])[]): Promise<string[][]> {
  return rows.map((row) =>
    row.map((value, index) => (columns[index]?.name === 'status' ? formatStatus(value) : value)),
  );
}

/** The employees that the directory shows on all of its pages, and their order. */
interface DirectoryView {
  readonly text: string;
  readonly filter: DirectoryFilter;
  readonly sort: readonly EmployeeSort[];
}

/** Exports the directory as CSV. Each export is an event of the audit log. */
export class DirectoryExports {
  readonly #exports: AuditedExports;
  readonly #directory: Directory;

  constructor(exports: AuditedExports, directory: Directory) {
    this.#exports = exports;
    this.#directory = directory;
  }

  /**
   * Yields the employees of a view as CSV: a header line with labels, then a line for each employee. They are read in batches, so a
   * long export holds no transaction open.
   */
  stream(
    { at, ...auditContext }: UserAuditContext,
    { view, signal }: { view: DirectoryView; signal: AbortSignal },
  ): CsvChunks {
    return this.#exports.stream({
      event: { type: 'directory.exported', ...auditContext, details: viewDetails(view) },
      at,
      chunks: this.#chunks(auditContext.accountId, view, signal),
      signal,
    });
  }

  async *#chunks(
    accountId: UserAuditContext['accountId'],
    view: DirectoryView,
    signal: AbortSignal,
  ): CsvChunks {
    let header = csvLine(columns.map(({ label }) => label));
    for await (const employees of this.#directory.readAll(accountId, view)) {
      signal.throwIfAborted();
      const lines = employees.map((employee) =>
        csvLine(columns.map(({ member }) => employee[member] as string)),
      );
      yield Buffer.from(header + lines.join(''));
      header = '';
    }
  }
}

/** The search text is omitted, because it may be a name that is to be erased with the person. */
function viewDetails({ text, filter: { only, ...values } }: DirectoryView): Readonly<Record<string, string>> {
  const filters = Object.entries(values).map(([name, value]) => [name, value ?? '–']);
  return {
    ...Object.fromEntries(filters),
    ...(only && { only: only.value }),
    ...(text !== '' && { search: 'yes' }),
  };
}
