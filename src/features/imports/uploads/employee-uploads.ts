import pLimit from 'p-limit';
import type { AccountId } from '../../../platform/accounts/account-id.js';
import type { UserAuditContext } from '../../../platform/audit/audit-log.js';
import { change } from '../../../platform/changes/change.js';
import { lock } from '../../../platform/changes/locks.js';
import { dayMilliseconds, hourMilliseconds } from '../../../platform/clock.js';
import type { Database, Prisma } from '../../../platform/database/client.js';
import { randomId } from '../../../platform/database/ids.js';
import type { RecordMember } from '../../employees/index.js';
import { readRecordMembers } from '../custom-columns.js';
import { detectDateFormat } from '../dates.js';
import type { ImportCounts } from '../employee-imports.js';
import { type FileText, openFileText } from '../formats/file-text.js';
import { UnusableFileError } from '../lines.js';
import { suggestStatuses } from '../status-values.js';
import { type RememberedColumns, suggestAttributes } from './column-names.js';
import { type ColumnSurvey, surveyColumns } from './column-survey.js';
import { type FilePreview, previewFile } from './file-preview.js';
import type { Findings } from './findings.js';
import { nameIn, type RejectedRow } from './rejected-rows.js';
import { type ImportKey, StoredFiles } from './stored-file.js';
import {
  type FileFormat,
  type FileMapping,
  maximumFileBytes,
  maximumFiles,
  maximumImports,
  maximumStoredErrors,
  maximumTextBytes,
  storedStates,
  type UploadState,
} from './upload-state.js';
import { expiryAt } from './upload-steps.js';

/** An import of employees from an uploaded file. */
export interface EmployeeUpload extends FileMapping, ImportCounts {
  readonly id: string;
  readonly fileName: string;
  /** What was converted to the stored text, for users; `null`: the file is text in UTF-8. */
  readonly source: string | null;
  readonly format: FileFormat;
  readonly state: UploadState;
  readonly bytes: number;
  readonly survey: readonly ColumnSurvey[];
  readonly bytesRead: number;
  readonly findings: Findings;
  readonly failure: string | null;
  readonly cancelRequested: boolean;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly expiresAt: Date;
}

/** A rejected line. */
export interface UploadError {
  readonly line: number;
  readonly message: string;
  /** Of the person; empty when it is unknown. */
  readonly name: string;
}

type UploadOutcome =
  | { readonly kind: 'stored'; readonly id: string }
  | { readonly kind: 'too_many_files' | 'too_many_imports' | 'too_large' }
  /** `message` completes a sentence that begins with the name of the file. */
  | { readonly kind: 'unusable'; readonly message: string };

/** What only the process that runs an import needs. */
const omit = {
  ...{ accountId: true, userId: true, address: true, requestId: true, eventId: true },
  ...{ attempts: true, lockedBy: true, leaseUntil: true, queuedAt: true },
} as const satisfies Prisma.EmployeeImportOmit;

/** Abandoned uploads are deleted after this time. */
const uploadMilliseconds = hourMilliseconds;

const conversions = pLimit(2);

/** Files that users upload for an import of employees, and the results of the imports. */
export class EmployeeUploads {
  readonly #prisma: Database['prisma'];
  readonly #files: StoredFiles;

  constructor(database: Database) {
    this.#prisma = database.prisma;
    this.#files = new StoredFiles(database);
  }

  /** The latest imports that are stored, latest first. */
  async list(accountId: AccountId, now: Date): Promise<EmployeeUpload[]> {
    const rows = await this.#prisma.employeeImport.findMany({
      where: { accountId, expiresAt: { gt: now }, state: { not: 'uploading' } },
      orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
      take: maximumImports,
      omit,
    });
    return rows as unknown as EmployeeUpload[];
  }

  /** An import whose file is complete; `null` when the account has none with this id. */
  async get(accountId: AccountId, { id, now }: { id: string; now: Date }): Promise<EmployeeUpload | null> {
    const row = await this.#prisma.employeeImport.findFirst({
      where: { accountId, id, expiresAt: { gt: now }, state: { not: 'uploading' } },
      omit,
    });
    return row as unknown as EmployeeUpload | null;
  }

  /** The attributes to which columns can be assigned now. */
  members(accountId: AccountId): Promise<readonly RecordMember[]> {
    return readRecordMembers(this.#prisma, accountId);
  }

  /** Rejected lines after a line, in their order. */
  async errors(
    { accountId, id: importId }: ImportKey,
    { attributes }: Pick<FileMapping, 'attributes'>,
    range: { after: number; size: number },
  ): Promise<UploadError[]> {
    const rows = await this.#prisma.employeeImportError.findMany({
      where: { accountId, importId, line: { gt: range.after } },
      orderBy: { line: 'asc' },
      take: range.size,
      select: { line: true, message: true, cells: true },
    });
    return rows.map(({ cells, ...error }) => ({ ...error, name: nameIn(cells, attributes) }));
  }

  /**
   * The first rows that were rejected, in their order; at most {@link maximumStoredErrors}. They are stored as long as the
   * import, because its file is deleted earlier.
   */
  async rejectedRows({ accountId, id: importId }: ImportKey): Promise<RejectedRow[]> {
    return await this.#prisma.employeeImportError.findMany({
      where: { accountId, importId, cells: { isEmpty: false } },
      orderBy: { line: 'asc' },
      take: maximumStoredErrors,
      select: { cells: true, message: true },
    });
  }

  /**
   * Stores a file while it arrives.
   *
   * @param file.format `null`: recognized from the content
   */
  async upload(
    context: UserAuditContext,
    file: { name: string; format: FileFormat | null; content: AsyncIterable<Uint8Array> },
  ): Promise<UploadOutcome> {
    const key = { accountId: context.accountId, id: randomId() };
    const rejected = await this.#reserve(context, key, file);
    if (rejected !== null) return { kind: rejected };
    try {
      const size = await this.#files.write(key, file.content, maximumFileBytes);
      if (size > maximumFileBytes) {
        await this.#delete(key);
        return { kind: 'too_large' };
      }
      const { bytes, source, isWorkbook } = await this.#toText(key, size);
      const preview = await this.preview(key, { bytes, format: isWorkbook ? 'csv' : file.format });
      const survey =
        preview.format === 'csv'
          ? await surveyColumns(
              this.#files.read(key, () => {}),
              preview,
            )
          : [];
      const attributes = suggestAttributes(
        preview.columns,
        await this.members(key.accountId),
        await this.#remembered(key),
      );
      const { count } = await this.#prisma.employeeImport.updateMany({
        where: { ...key, state: 'uploading' },
        data: {
          state: 'uploaded',
          bytes,
          source,
          format: preview.format,
          delimiter: preview.delimiter,
          columns: [...preview.columns],
          attributes,
          survey: survey as object[],
          dateFormats: survey.map(({ dates }) => detectDateFormat(dates) ?? ''),
          statusValues: suggestStatuses(survey[attributes.indexOf('status')]?.values ?? []),
          expiresAt: expiryAt(context.at),
        },
      });
      if (count === 0) throw new Error('The upload was deleted before it was complete');
      return { kind: 'stored', id: key.id };
    } catch (error) {
      await this.#delete(key);
      if (error instanceof UnusableFileError) return { kind: 'unusable', message: error.message };
      throw error;
    }
  }

  /**
   * Converts the stored file to text in UTF-8. Few files are converted at a time, because that takes memory.
   *
   * @throws {UnusableFileError} when it cannot be read
   */
  async #toText(key: ImportKey, size: number): Promise<{ bytes: number } & Omit<FileText, 'content'>> {
    if (size === 0) throw new UnusableFileError('the file is empty');
    return await conversions(async () => {
      const { source, isWorkbook, content } = await openFileText(this.#files.open(key, size));
      if (source === null) return { bytes: size, source, isWorkbook };
      const bytes = await this.#files.replace(key, content, maximumTextBytes);
      if (bytes > maximumTextBytes)
        throw new UnusableFileError('the file has more than 100 MB as text; split it into smaller files');
      return { bytes, source, isWorkbook };
    });
  }

  /** Counts the files of the account and adds one, with the account locked. */
  async #reserve(
    context: UserAuditContext,
    { id }: ImportKey,
    file: { name: string; format: FileFormat | null },
  ): Promise<'too_many_files' | 'too_many_imports' | null> {
    const { accountId, userId, origin, at } = context;
    return await change(this.#prisma, context, lock.account, async ({ tx }) => {
      const stored = await tx.employeeImport.count({
        where: { accountId, expiresAt: { gt: at }, state: { in: [...storedStates] } },
      });
      if (stored >= maximumFiles) return 'too_many_files';
      const dayAgo = new Date(at.getTime() - dayMilliseconds);
      const recent = await tx.employeeImport.count({ where: { accountId, createdAt: { gt: dayAgo } } });
      if (recent >= maximumImports) return 'too_many_imports';
      await tx.employeeImport.createMany({
        data: {
          ...{ accountId, id, userId, ...origin, eventId: randomId(), fileName: file.name },
          ...{ format: file.format ?? 'csv', state: 'uploading', createdAt: at },
          expiresAt: new Date(at.getTime() + uploadMilliseconds),
        },
      });
      return null;
    });
  }

  /** The first rows of the file of an import. */
  async preview(
    key: ImportKey,
    { bytes, format }: { bytes: number; format: FileFormat | null },
  ): Promise<FilePreview> {
    const start = await this.#files.readStart(key);
    return await previewFile(start, { isWhole: start.length >= bytes, format });
  }

  async #remembered({ accountId: id }: ImportKey): Promise<RememberedColumns> {
    const account = await this.#prisma.account.findFirst({ where: { id }, select: { importColumns: true } });
    return (account?.importColumns ?? {}) as RememberedColumns;
  }

  async #delete({ accountId, id }: ImportKey): Promise<void> {
    await this.#prisma.employeeImport.deleteMany({ where: { accountId, id } });
  }
}
