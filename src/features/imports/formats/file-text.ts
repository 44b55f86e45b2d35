import { UnusableFileError } from '../lines.js';
import type { RandomAccessFile } from './random-access-file.js';
import { detectEncoding, toUtf8 } from './text-encoding.js';

/** Bytes at the start of a file that show its type. */
const startBytes = 64 * 1024;

/** Characters of the name of a sheet. Excel allows 31. */
const maximumNameLength = 100;

/** The text of a file in UTF-8. */
export interface FileText {
  /** What was converted, for users: an encoding, or a workbook with its sheet. `null`: the file is UTF-8. */
  readonly source: string | null;
  readonly isWorkbook: boolean;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Starts of files that cannot be read, and what users can do. */
const otherTypes: readonly (readonly [start: string, message: string])[] = [
  ['%PDF-', 'the file is a PDF document; export the table as .xlsx or “CSV UTF-8”'],
  [
    '\xD0\xCF\x11\xE0',
    'the file is an old Excel workbook (.xls) or protected with a password; save it as .xlsx without a password',
  ],
  ['\x1F\x8B', 'the file is compressed with gzip; upload the file in it'],
  ['{\\rtf', 'the file is a text document; export the table as .xlsx or “CSV UTF-8”'],
];

/**
 * Recognizes a file by its content, whatever its name: an Excel workbook, or text in UTF-8, UTF-16 or Windows-1252.
 *
 * @throws {UnusableFileError} when it is of another type, or a workbook that cannot be read
 */
export async function openFileText(file: RandomAccessFile): Promise<FileText> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.read(0, Math.min(file.size, startBytes))) pieces.push(piece);
  const start = Buffer.concat(pieces);
  const signature = start.toString('latin1', 0, 8);
  const other = otherTypes.find(([bytes]) => signature.startsWith(bytes));
  if (other !== undefined) throw new UnusableFileError(other[1]);
  if (signature.startsWith('PK\x03\x04') || signature.startsWith('PK\x05\x06')) {
    // Loaded with the first workbook.
    const { openWorkbook } = await import('./workbook.js');
    const { sheet, content } = await openWorkbook(file);
    const name = sheet.slice(0, maximumNameLength).toWellFormed();
    return { source: `Excel workbook, sheet “${name}”`, isWorkbook: true, content };
  }
  const encoding = await detectEncoding(start, file);
  const content = file.read(0, file.size);
  if (encoding === 'utf-8') return { source: null, isWorkbook: false, content };
  const name = encoding === 'windows-1252' ? 'Windows-1252' : 'UTF-16';
  return { source: name, isWorkbook: false, content: toUtf8(content, encoding) };
}
