declare module 'pg/lib/utils' {
  /** Writes a value, which may be an array, as the database reads parameters. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
