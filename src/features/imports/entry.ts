/** A parsed record of an import file, or its error. */
export type Entry = { readonly line: number } & (
  | { readonly value: unknown; readonly error?: never }
  | { readonly error: string; readonly value?: never }
);

/** The whole file is invalid and nothing is imported. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}
