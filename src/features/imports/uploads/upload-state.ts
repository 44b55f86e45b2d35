import { noCounts } from '../import-employees.js';

/** Maximum size of an uploaded file in bytes. */
export const maximumFileBytes = 50 * 1024 * 1024;

/** Maximum size of the text that a file is converted to, in bytes of UTF-8. */
export const maximumTextBytes = 2 * maximumFileBytes;

/** Maximum number of columns of a file. The form for the columns has a field for each one. */
export const maximumColumns = 80;

/** Maximum number of files that an account can have stored at a time. */
export const maximumFiles = 5;

/** Maximum number of uploads of an account in 24 hours, and of imports in its list. */
export const maximumImports = 50;

/** Rejected lines that are stored with their errors. The others are counted. */
export const maximumStoredErrors = 1_000;

/** How long a file that is not imported is stored after its last step. */
export const retentionHours = 24;

/** How long an import is stored after its start, and can be undone. */
export const undoDays = 7;

/**
 * States of an import. `uploaded`: the columns are not assigned yet. `checking` and `importing` are queued or running.
 * `checked`: the check is complete. In the last four states the file is deleted.
 */
const uploadStates = [
  'uploading',
  'uploaded',
  'checking',
  'checked',
  'importing',
  'complete',
  'cancelled',
  'failed',
  'undone',
] as const;

export type UploadState = (typeof uploadStates)[number];

/** States in which the file is stored. */
export const storedStates: readonly UploadState[] = [
  'uploading',
  'uploaded',
  'checking',
  'checked',
  'importing',
];

/** States of an import that has ended, and may have changed employees. */
export const undoableStates: readonly UploadState[] = ['complete', 'cancelled', 'failed'];

/** The progress of an import that has read nothing. */
export const noProgress = { bytesRead: 0, ...noCounts, findings: {} };

/** How the columns of a file are read. */
export interface ColumnAssignment {
  /** The attribute of each column; empty: the column is ignored. */
  readonly attributes: readonly string[];
  /** How each column writes dates; empty: no dates, or day and month can be exchanged. */
  readonly dateFormats: readonly string[];
  /** Values of required attributes without a column, by attribute. */
  readonly fixedValues: Readonly<Record<string, string>>;
  /** The status for each value of its column; others are kept. */
  readonly statusValues: Readonly<Record<string, string>>;
}

/** The columns of a file, and how they are read. */
export interface FileMapping extends ColumnAssignment {
  readonly format: string;
  readonly delimiter: string | null;
  readonly columns: readonly string[];
}

export type FileFormat = 'csv' | 'jsonl';
