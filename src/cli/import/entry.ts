/** A record of an import file as it was read, or why it cannot be. */
export type Entry = { readonly line: number } & (
  | { readonly value: unknown; readonly fault?: never }
  | { readonly fault: string; readonly value?: never }
);

/** The file as a whole is not what it should be; nothing of it is imported. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}
