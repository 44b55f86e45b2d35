import { type Column, DataTable } from '../../../platform/pages/data-table.js';
import type { EmployeeUpload, UploadError } from '../uploads/employee-uploads.js';
import { maximumErrors } from '../uploads/upload-state.js';
import { countText, importAddress } from './import-pages.js';

const columns: readonly Column<UploadError>[] = [
  { key: 'line', label: 'Line', heading: 'Line', cell: ({ line }) => `Line ${countText(line)}` },
  { key: 'message', label: 'Errors', heading: 'Errors', cell: ({ message }) => <bdi>{message}</bdi> },
];

export interface ErrorsSectionProps {
  readonly upload: EmployeeUpload;
  readonly errors: readonly UploadError[];
  /** The line after which the errors begin. */
  readonly after: number;
  /** The line after which the next page of errors begins. */
  readonly next: number | undefined;
}

/** The rejected lines of a file with their errors. */
export function ErrorsSection({
  upload: { id, rejected: records, managersRejected },
  errors,
  after,
  next,
}: ErrorsSectionProps) {
  const rejected = records + managersRejected;
  if (rejected === 0) return null;
  return (
    <section>
      <h2>Rejected lines</h2>
      {rejected > maximumErrors && (
        <p>
          The first {countText(maximumErrors)} of {countText(rejected)} are listed.
        </p>
      )}
      {errors.length > 0 && (
        <DataTable
          caption="Rejected lines"
          columns={columns}
          rows={errors}
          rowKey={({ line }) => String(line)}
        />
      )}
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
