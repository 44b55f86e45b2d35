/** A file whose parts can be read in any order. */
export interface RandomAccessFile {
  /** In bytes. */
  readonly size: number;
  /** Reads the bytes from `start` to before `end`, in pieces. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}
