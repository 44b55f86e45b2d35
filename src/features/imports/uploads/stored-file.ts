import type { AccountId } from '../../../platform/accounts/account-id.js';
import type { Database, Prisma } from '../../../platform/database/client.js';

/** Identifies an import. */
export interface ImportKey {
  readonly accountId: AccountId;
  readonly id: string;
}

/** Size of a chunk in bytes, except that of the last one. */
const chunkBytes = 256 * 1024;

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
  ): Promise<number> {
    let bytes = 0;
    let number = 0;
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

/** Deletes the file of an import, in the transaction that ends the import. */
export async function deleteFile(
  tx: Prisma.TransactionClient,
  { accountId, id: importId }: ImportKey,
): Promise<void> {
  await tx.employeeImportChunk.deleteMany({ where: { accountId, importId } });
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
