import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { CliError, exitCodes } from '../../../platform/cli/cli-error.js';
import type { CommandProcess } from '../../../platform/cli/context.js';
import { sanitizeForTerminal } from '../../../platform/cli/print.js';
import { openFileText } from '../formats/file-text.js';
import type { RandomAccessFile } from '../formats/random-access-file.js';
import { UnusableFileError } from '../lines.js';

export type ImportFormat = 'csv' | 'jsonl';

const formatsByExtension: Readonly<Record<string, ImportFormat>> = {
  '.csv': 'csv',
  '.xlsx': 'csv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
};

/** An import file or standard input. It can be read once. */
export interface ImportSource {
  readonly name: string;
  readonly format: ImportFormat;
  /** Absent if the size is unknown. */
  readonly totalBytes: number | undefined;
  readonly bytesRead: number;
  /** Text in UTF-8. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Opens an import file; `-` is standard input. A workbook and other encodings than UTF-8 are converted, which needs a file that
 * can be read in any order.
 *
 * @param signal destroys a source that is waiting for data
 * @throws {CliError} when the file cannot be read, or its format is unknown
 */
export async function openSource(
  { stdin }: Pick<CommandProcess, 'stdin'>,
  file: string,
  { format, signal }: { format: ImportFormat | undefined; signal: AbortSignal },
): Promise<ImportSource> {
  const known = format ?? formatsByExtension[path.extname(file).toLowerCase()];
  if (known === undefined) {
    throw new CliError(
      `--format must be csv or jsonl, because ${file} does not end in .csv, .xlsx or .jsonl`,
      exitCodes.usage,
    );
  }
  const totalBytes = file === '-' ? undefined : await sizeOf(file);
  let bytesRead = 0;
  const read = async function* (stream: Readable): AsyncGenerator<Uint8Array, void, undefined> {
    addAbortSignal(signal, stream);
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      bytesRead += piece.length;
      yield piece;
    }
  };
  const readPart = (start: number, end: number) =>
    start < end
      ? read(createReadStream(file, { start, end: end - 1, highWaterMark: 262_144 }))
      : read(Readable.from([]));
  const pieces =
    totalBytes === undefined
      ? read(file === '-' ? stdin : createReadStream(file, { highWaterMark: 262_144 }))
      : await openText(file, { size: totalBytes, read: readPart });
  bytesRead = 0;
  return {
    name: file === '-' ? 'standard input' : path.basename(file),
    format: known,
    totalBytes,
    get bytesRead() {
      return bytesRead;
    },
    pieces,
  };
}

async function openText(name: string, file: RandomAccessFile): Promise<AsyncIterable<Uint8Array>> {
  try {
    return (await openFileText(file)).content;
  } catch (error) {
    if (error instanceof UnusableFileError)
      throw new CliError(
        `${sanitizeForTerminal(path.basename(name))}: ${sanitizeForTerminal(error.message)}`,
      );
    if (error instanceof Error && 'code' in error && 'syscall' in error)
      throw new CliError(`Cannot read ${name}: ${error.code}`);
    throw error;
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
  const stats = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(
      `Cannot read ${file}: ${error.code === 'ENOENT' ? 'the file does not exist' : error.code}`,
    );
  });
  if (stats.isDirectory()) throw new CliError(`Cannot read ${file}: it is a directory`);
  return stats.isFile() ? stats.size : undefined;
}
