import { buffer } from 'node:stream/consumers';
import { openFileText } from '../../../src/features/imports/formats/file-text.js';

/** The rows of a workbook as the import reads them. */
export async function readWorkbook(bytes: Buffer): Promise<string> {
  const { content } = await openFileText({
    size: bytes.length,
    async *read(start, end) {
      yield bytes.subarray(start, end);
    },
  });
  return (await buffer(content)).toString();
}
