import { Readable } from 'node:stream';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { UnusableFileError } from '../lines.js';
import type { RandomAccessFile } from './random-access-file.js';

/** Maximum number of parts. Excel writes about twenty, and one for each picture. */
const maximumParts = 5_000;

/** Reads a file for yauzl, and keeps its own failures apart from those of the archive. */
class FileReader extends RandomAccessReader {
  readonly #file: RandomAccessFile;
  failure: unknown;

  constructor(file: RandomAccessFile) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#read(start, Math.min(end, this.#file.size)), { objectMode: false });
  }

  async *#read(start: number, end: number): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* this.#file.read(start, end);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

/** The parts of an Office document, which is a ZIP archive. Only the parts that are read are decompressed. */
export class WorkbookArchive {
  readonly #reader: FileReader;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(reader: FileReader, zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#reader = reader;
    this.#zip = zip;
    this.#entries = entries;
  }

  /** @throws {UnusableFileError} when the archive is damaged or has too many parts */
  static async open(file: RandomAccessFile): Promise<WorkbookArchive> {
    const reader = new FileReader(file);
    try {
      const zip = await fromRandomAccessReaderPromise(reader, file.size, { autoClose: false });
      if (zip.entryCount > maximumParts) throw new UnusableFileError('the ZIP archive has too many files');
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
      return new WorkbookArchive(reader, zip, entries);
    } catch (error) {
      throw archiveError(reader, error);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * Decompresses a part.
   *
   * @param maximumBytes of the decompressed part
   * @throws {UnusableFileError} when the part is missing, encrypted, damaged or larger
   */
  async *read(name: string, maximumBytes: number): AsyncGenerator<Buffer, void, undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw damaged();
    if (entry.isEncrypted()) throw new UnusableFileError('the Excel workbook is protected with a password');
    // yauzl compares this size with that of the data while it decompresses.
    if (entry.uncompressedSize > maximumBytes)
      throw new UnusableFileError('the Excel workbook has too much data; save the sheet as “CSV UTF-8”');
    try {
      yield* await this.#zip.openReadStreamPromise(entry);
    } catch (error) {
      throw archiveError(this.#reader, error);
    }
  }
}

export function damaged(): UnusableFileError {
  return new UnusableFileError(
    'the Excel workbook is damaged or incomplete; open it in Excel and save it again',
  );
}

function archiveError({ failure }: FileReader, error: unknown): unknown {
  if (failure !== undefined) return failure;
  return error instanceof UnusableFileError ? error : damaged();
}
