/** Maximum size of an uploaded file in bytes. */
export const maximumFileBytes = 50 * 1024 * 1024;

/** Maximum size of the text that a file is converted to, in bytes of UTF-8. */
export const maximumTextBytes = 2 * maximumFileBytes;

/** Maximum number of columns of a file. A form has at most 100 name-value pairs. */
export const maximumColumns = 80;

/** Maximum number of files that an account can have stored at a time. */
export const maximumFiles = 5;

/** Maximum number of imports of an account in the list, including finished ones. */
export const maximumImports = 50;

/** Rejected lines that are stored with their errors. The others are counted. */
export const maximumStoredErrors = 1_000;

/** How long an import is stored after its last step. */
export const retentionHours = 24;

/**
 * States of an import. `uploaded`: the columns are not assigned yet. `checking` and `importing` are queued or running.
 * `checked`: the check is complete. In the last three states the file is deleted.
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

/** The counts of an import that has read nothing. */
export const noProgress = {
  bytesRead: 0,
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  superseded: 0,
  managersRejected: 0,
} as const;

export type FileFormat = 'csv' | 'jsonl';
