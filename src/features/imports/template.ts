import { workbook } from '../../platform/pages/workbook.js';
import { recordMembers } from '../employees/index.js';

const labels = recordMembers.map(({ label }) => label);

/** A CSV file with the names of all columns. */
export function csvTemplate(): Buffer {
  return Buffer.from(`${labels.join(',')}\r\n`);
}

/** An Excel workbook with the names of all columns. */
export function workbookTemplate(): AsyncGenerator<Buffer, void, undefined> {
  return workbook('Employees', onlyHeadings());
}

async function* onlyHeadings() {
  yield [labels];
}
