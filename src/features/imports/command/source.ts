import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { CliError, exitCodes } from '../../../platform/cli/cli-error.js';
import type { CommandProcess } from '../../../platform/cli/context.js';

export type ImportFormat = 'csv' | 'jsonl';

const formatsByExtension: Readonly<Record<string, ImportFormat>> = {
  '.csv': 'csv',
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
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Opens an import file; `-` is standard input.
 *
 * @param signal destroys a source that is waiting for data
 * @throws {CliError} when the file cannot be read, or its format is unknown
 */
export async function openSource(
  { stdin }: CommandProcess,
  file: string,
  { format, signal }: { format: ImportFormat | undefined; signal: AbortSignal },
): Promise<ImportSource> {
  const known = format ?? formatsByExtension[path.extname(file).toLowerCase()];
  if (known === undefined) {
    throw new CliError(
      `--format must be csv or jsonl, because ${file} does not end in .csv or .jsonl`,
      exitCodes.usage,
    );
  }
  const totalBytes = file === '-' ? undefined : await sizeOf(file);
  const stream: Readable = file === '-' ? stdin : createReadStream(file, { highWaterMark: 262_144 });
  addAbortSignal(signal, stream);
  // Handles an error before the stream is read. Readers get the error themselves.
  stream.on('error', () => {});
  let bytesRead = 0;
  return {
    name: file === '-' ? 'standard input' : path.basename(file),
    format: known,
    totalBytes,
    get bytesRead() {
      return bytesRead;
    },
    pieces: (async function* () {
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        bytesRead += piece.length;
        yield piece;
      }
    })(),
  };
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
