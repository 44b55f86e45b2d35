import { excelCsv } from '../http/excel-csv.js';
import { invalidParameter } from '../problems/invalid-request.js';
import { violation } from '../problems/rule-texts.js';
import type { Fields } from './fields.js';
import type { CsvFile } from './page-context.js';

/** URL of the same table as CSV for Excel. */
export function excelAddress(address: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}format=excel`;
}

/**
 * The table in the format that the query names; CSV without one.
 *
 * @throws {Problem} 400 `invalid_request` for an unknown format
 */
export function inRequestedFormat(file: CsvFile, query: Fields): CsvFile {
  const format = query.text('format');
  if (format === '') return file;
  if (format !== 'excel') throw invalidParameter('format', violation('excel_or_absent'));
  return {
    fileName: file.fileName.replace(/\.csv$/, '-excel.csv'),
    make: (signal) => excelCsv(file.make(signal)),
  };
}

/** States which of the two files is for Excel. */
export function CsvHint() {
  return (
    <p class="hint">
      Open “CSV for Excel” in Excel: letters such as é and 李 are shown correctly, and no value runs as a
      formula. The other CSV is for programs and imports.
    </p>
  );
}
