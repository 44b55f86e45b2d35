import { Readable } from 'node:stream';
import { readActiveAttributes } from '../../../src/features/employees/custom-attributes.js';
import type { EmployeeRecord } from '../../../src/features/employees/employee.js';
import { createEmployeeCheck } from '../../../src/features/employees/employee-check.js';
import { readCsvEntries } from '../../../src/features/imports/csv-entries.js';
import { EmployeeImports } from '../../../src/features/imports/employee-imports.js';
import {
  type ImportOptions,
  type ImportOutcome,
  importEmployees,
} from '../../../src/features/imports/import-employees.js';
import { readJsonEntries } from '../../../src/features/imports/json-entries.js';
import { splitLines } from '../../../src/features/imports/lines.js';
import type { AccountId } from '../../../src/platform/accounts/account-id.js';
import type { Database } from '../../../src/platform/database/client.js';
import { testServer } from '../database/database.js';
import { contract } from '../server/app.js';

const checkOfContract = createEmployeeCheck(contract);

/** Rows of a large file. The embedded database takes minutes for 100,000. */
export const manyRows = testServer === undefined ? 10_000 : 100_000;

export const csvHeader = 'employee_number,first_name,last_name,email,status,department';

export interface TestImport extends ImportOutcome {
  /** The errors of rejected lines, as the command prints them. */
  readonly refusals: readonly string[];
}

/** Imports text as the command does; text that begins with a brace is JSON Lines. */
export async function importText(
  database: Database,
  accountId: AccountId,
  text: string | Uint8Array,
  changes: Partial<ImportOptions> = {},
): Promise<TestImport> {
  const bytes = Buffer.from(text);
  const lines = splitLines(Readable.from(piecesOf(bytes)));
  const refusals: string[] = [];
  const custom = await readActiveAttributes(database.prisma, accountId);
  const { attributes, check } = checkOfContract.withCustom(custom);
  const outcome = await importEmployees({
    imports: new EmployeeImports(database, () => new Date()),
    accountId,
    entries: bytes[0] === 0x7b ? readJsonEntries(lines) : readCsvEntries(lines, attributes),
    check,
    fileName: 'staff.csv',
    batchSize: 20,
    maximumRejected: 1000,
    dryRun: false,
    signal: new AbortController().signal,
    onRejected: (line, errors) => refusals.push(`line ${line}: ${errors.join('; ')}`),
    onProgress: () => {},
    ...changes,
  });
  return { ...outcome, refusals };
}

/** Bytes in chunks that split lines and characters. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const size = 1 + Math.floor(Math.random() * 1_000);
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

/** A CSV file of these records. */
export function toCsv(records: readonly EmployeeRecord[], lineBreak = '\r\n'): string {
  const rows = records.map((record) => valuesOf(record).map(quote).join(','));
  return [csvHeader, ...rows, ''].join(lineBreak);
}

/** A JSON Lines file of these records. */
export function toJsonLines(records: readonly EmployeeRecord[]): string {
  const names = csvHeader.split(',');
  return records
    .map((record) => {
      const entries = valuesOf(record).map((value, index) => [names[index], value]);
      return `${JSON.stringify(Object.fromEntries(entries))}\n`;
    })
    .join('');
}

function valuesOf({
  employeeNumber,
  firstName = '',
  lastName = '',
  email = '',
  status,
  department,
}: EmployeeRecord): string[] {
  return [employeeNumber, firstName, lastName, email, status, department];
}

function quote(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** The account's employees as records, by number. */
export async function storedRecords(database: Database, accountId: AccountId): Promise<EmployeeRecord[]> {
  return await database.prisma.employee.findMany({
    where: { accountId },
    select: {
      employeeNumber: true,
      firstName: true,
      lastName: true,
      email: true,
      status: true,
      department: true,
    },
    orderBy: { employeeNumber: 'asc' },
  });
}

/** Records that differ in every attribute. */
export function makeRecords(count: number, changes: Partial<EmployeeRecord> = {}): EmployeeRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    employeeNumber: `E${String(index).padStart(7, '0')}`,
    firstName: `First ${index % 97}`,
    lastName: `Last "${index % 89}", Jr.`,
    email: `person${index}@company.example`,
    status: ['active', 'on_leave', 'terminated'][index % 3] ?? '',
    department: ['Design', 'Sales', 'Payroll', 'Legal'][index % 4] ?? '',
    ...changes,
  }));
}
