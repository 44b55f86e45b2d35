import type { Tone } from '../../../platform/pages/badge.js';
import { requestedId } from '../../../platform/pages/fields.js';
import type { Crumb, PageContext } from '../../../platform/pages/page-context.js';
import { directoryPath, importPath } from '../../../platform/pages/paths.js';
import { found } from '../../../platform/problems/problem.js';
import type { createImports } from '../index.js';
import type { EmployeeUpload } from '../uploads/employee-uploads.js';
import type { UploadState } from '../uploads/upload-state.js';

export type ImportPagesDependencies = ReturnType<typeof createImports>;

/** The upload form, for the pages of an import. */
export const parent: Crumb = { title: 'Import employees', href: importPath };

const importsPath = `${directoryPath}/employees/imports`;

/** Path of the page of an import, or of a page below it. */
export function importAddress(id: string, ...below: readonly string[]): string {
  return [importsPath, id, ...below].join('/');
}

/** Path of the rejected rows of an import as CSV. */
export function rejectedAddress(id: string): string {
  return importAddress(id, 'rejected.csv');
}

/**
 * The import that the path identifies.
 *
 * @throws {Problem} 404 `not_found` when the account has no import with this id
 */
export async function requestedImport(
  context: PageContext,
  { uploads }: Pick<ImportPagesDependencies, 'uploads'>,
): Promise<EmployeeUpload> {
  const { accountId, at: now } = context.auditContext;
  return found(await uploads.get(accountId, { id: requestedId(context), now }));
}

/** Whether a check or an import is queued or runs. */
export function isRunning({ state }: Pick<EmployeeUpload, 'state'>): boolean {
  return state === 'checking' || state === 'importing';
}

/** Whether the file was an Excel workbook, which is stored as CSV. */
export function isWorkbook({ source }: Pick<EmployeeUpload, 'source'>): boolean {
  return source?.startsWith('Excel') ?? false;
}

/** Label and badge of each state. */
export const stateLabels: Readonly<Record<UploadState, { readonly label: string; readonly tone: Tone }>> = {
  uploading: { label: 'Uploading', tone: 'caution' },
  uploaded: { label: 'Columns to assign', tone: 'caution' },
  checking: { label: 'Checking', tone: 'caution' },
  checked: { label: 'Checked, not imported', tone: 'caution' },
  importing: { label: 'Importing', tone: 'caution' },
  complete: { label: 'Imported', tone: 'good' },
  cancelled: { label: 'Cancelled', tone: 'ended' },
  failed: { label: 'Failed', tone: 'ended' },
  undone: { label: 'Undone', tone: 'ended' },
};
