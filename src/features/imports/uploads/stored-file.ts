import type { AccountId } from '../../../platform/accounts/account-id.js';
import type { Database, Prisma } from '../../../platform/database/client.js';
import type { RandomAccessFile } from '../formats/random-access-file.js';

/** Identifies an import. */
export interface ImportKey {
  readonly accountId: AccountId;
  readonly id: string;
}

/** Size of a chunk in bytes, except that of the last one. */
const chunkBytes = 256 * 1024;

/** Number of the first chunk of a text while the file that it is converted from is still read. */
const firstConverted = 1_000_000;

/** The uploaded file of an import, in chunks. One chunk is in memory at a time. */
export class StoredFiles {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /**
   * Stores the content as it arrives.
   *
   * @returns its size in bytes; larger than `maximumBytes` when it was not stored completely
   */
  async write(
    { accountId, id: importId }: ImportKey,
    content: AsyncIterable<Uint8Array>,
    maximumBytes: number,
    firstNumber = 0,
  ): Promise<number> {
    let bytes = 0;
    let number = firstNumber;
    for await (const chunk of chunksOf(content)) {
      bytes += chunk.length;
      if (bytes > maximumBytes) break;
      await this.#prisma.employeeImportChunk.createMany({
        data: { accountId, importId, number, content: chunk },
      });
      number += 1;
    }
    return bytes;
  }

  /**
   * Replaces the content by a text that is converted from it.
   *
   * @returns as `write`; the content is replaced only if the text was stored completely
   */
  async replace(key: ImportKey, text: AsyncIterable<Uint8Array>, maximumBytes: number): Promise<number> {
    const { accountId, id: importId } = key;
    const bytes = await this.write(key, text, maximumBytes, firstConverted);
    if (bytes > maximumBytes) return bytes;
    await this.#prisma.$transaction(async (tx) => {
      await tx.employeeImportChunk.deleteMany({
        where: { accountId, importId, number: { lt: firstConverted } },
      });
      await tx.employeeImportChunk.updateMany({
        where: { accountId, importId },
        data: { number: { decrement: firstConverted } },
      });
    });
    return bytes;
  }

  /** The stored content, for reading in any order. The chunk that was read last is in memory. */
  open(key: ImportKey, size: number): RandomAccessFile {
    let last: { readonly number: number; readonly content: Buffer } | undefined;
    const chunkOf = async (number: number): Promise<Buffer> => {
      if (last?.number !== number) {
        const content = await this.#readChunk(key, number);
        if (content === null) throw new Error('A chunk of an uploaded file is missing');
        last = { number, content };
      }
      return last.content;
    };
    return {
      size,
      async *read(start, end) {
        for (let at = start; at < end; ) {
          const number = Math.floor(at / chunkBytes);
          const first = number * chunkBytes;
          yield (await chunkOf(number)).subarray(at - first, end - first);
          at = first + chunkBytes;
        }
      },
    };
  }

  /** The first chunk; empty when there is none. */
  async readStart(key: ImportKey): Promise<Buffer> {
    return (await this.#readChunk(key, 0)) ?? Buffer.alloc(0);
  }

  /** @param onRead called with the size of each chunk */
  async *read(key: ImportKey, onRead: (bytes: number) => void): AsyncGenerator<Buffer, void, undefined> {
    for (let number = 0; ; number += 1) {
      const chunk = await this.#readChunk(key, number);
      if (chunk === null) return;
      onRead(chunk.length);
      yield chunk;
    }
  }

  async #readChunk({ accountId, id: importId }: ImportKey, number: number): Promise<Buffer | null> {
    const chunk = await this.#prisma.employeeImportChunk.findFirst({
      where: { accountId, importId, number },
      select: { content: true },
    });
    return chunk === null ? null : Buffer.from(chunk.content);
  }
}

/** Deletes the file of an import, and values of it, in the transaction that ends the import. */
export async function deleteFile(
  tx: Prisma.TransactionClient,
  { accountId, id: importId }: ImportKey,
): Promise<void> {
  await tx.employeeImportChunk.deleteMany({ where: { accountId, importId } });
  await tx.employeeImport.updateMany({ where: { accountId, id: importId }, data: { survey: [] } });
}

/** Joins the pieces of a stream to chunks of {@link chunkBytes}. */
async function* chunksOf(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer<ArrayBuffer>, void, undefined> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of content) {
    pieces.push(piece);
    length += piece.length;
    if (length < chunkBytes) continue;
    const joined = Buffer.concat(pieces);
    const whole = length - (length % chunkBytes);
    for (let start = 0; start < whole; start += chunkBytes) yield joined.subarray(start, start + chunkBytes);
    pieces = [joined.subarray(whole)];
    length -= whole;
  }
  if (length > 0) yield Buffer.concat(pieces);
}
