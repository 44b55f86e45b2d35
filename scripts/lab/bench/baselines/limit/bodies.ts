import { createHash } from 'node:crypto';

/** A row of texts. */
type Row = readonly string[];

/** Characters that must be escaped in JSON. */
const special = /["\\\p{Cc}]/u;

/** Page size of all links. */
const size = 50;
const fingerprint = createHash('sha256').update('/v1/employees?').digest('base64url').slice(0, 8);

/** Attributes that the employees of the benchmarks do not have. Reading their columns would add work that is not needed. */
const absent = '"job_title":null,"location":null,"hire_date":null,"termination_date":null,"manager_id":null';

/** The columns that {@link bodyWriter} reads, in their order. */
export const columns = 'id, employee_number, first_name, last_name, email, status, department, updated_at';

/** The position at the end of an employee id, in base 36. The primary key of employees is account and position. */
export function positionOf(id: string): number {
  return Number.parseInt(id.slice(8), 36);
}

/** Writes the bodies of our server from the text values of the database. */
export function bodyWriter(baseUrl: string) {
  const address = `${baseUrl}/v1/employees?page%5Bnumber%5D=`;
  const afterNumber = `&page%5Bsize%5D=${size}`;
  const first = `${address}1${afterNumber}`;
  return {
    /** The first page: rows of {@link columns}, position and record count; one row more than the page has. */
    list(rows: readonly Row[]): string {
      const shown = Math.min(rows.length, size);
      let body = '{"data":[';
      for (let index = 0; index < shown; index += 1) {
        body += index === 0 ? resource(rows[index]) : `,${resource(rows[index])}`;
      }
      const count = shown === 0 ? '0' : rows[0][9];
      const cursor = rows.length > size ? cursorAfter(rows[size - 1][8]) : undefined;
      const nextCursor = cursor === undefined ? 'null' : `"${cursor}"`;
      const next = cursor === undefined ? 'null' : `"${address}2${afterNumber}&page%5Bafter%5D=${cursor}"`;
      const last = `${address}${Math.max(1, Math.ceil(Number(count) / size))}${afterNumber}`;
      return `${body}],"meta":{"record_count":${count},"next_cursor":${nextCursor}},"links":{"first":"${first}","prev":null,"next":${next},"last":"${last}"}}`;
    },
    employee: (row: Row): string => `{"data":${resource(row)}}`,
  };
}

function resource([id, number, firstName, lastName, email, status, department, updatedAt]: Row): string {
  return `{"id":"${id}","type":"employees","attributes":{"employee_number":${text(number)},"first_name":${text(firstName)},"last_name":${text(lastName)},"email":${text(email)},"status":${text(status)},"department":${text(department)},${absent},"updated_at":"${timestamp(updatedAt)}"}}`;
}

function text(value: string): string {
  return special.test(value) ? JSON.stringify(value) : `"${value}"`;
}

/** Converts `2026-01-02 07:17:28.001+00`, whose fraction has no zeros at its end, to ISO 8601. */
function timestamp(value: string): string {
  const end = value.length - 3;
  const fraction = end === 19 ? '.000' : value.slice(19, end).padEnd(4, '0');
  return `${value.slice(0, 10)}T${value.slice(11, 19)}${fraction}Z`;
}

function cursorAfter(position: string): string {
  return Buffer.from(`[2,${size},"${fingerprint}",{"values":[],"position":${position}}]`).toString(
    'base64url',
  );
}
