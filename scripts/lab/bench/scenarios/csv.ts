import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { type Database, query } from '../../kit/database/postgresql.js';
import { tenant } from '../../kit/database/tenants.js';
import { HttpClient, jsonOf } from '../../kit/http/client.js';
import { sendJson } from '../../kit/http/requests.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { sizes } from '../databases.js';
import { copyComparison, copyEmployees, formatted } from './copy-comparison.js';
import { requestTokens } from './tokens.js';

interface Downloaded {
  readonly lines: number;
  readonly lastLine: string;
}

const owner = tenant(1);
const newline = 10;

/** The columns of {@link formatted}. */
const reportColumns = 'id,employee_number,first_name,last_name,email,status,department,updated_at'.split(',');

/** A report with all rows as CSV. */
export const csvScenario = copyComparison<Downloaded>({
  name: 'csv',
  title: `Report of ${sizes.million.employees} rows as CSV`,
  database: 'million',
  prepare: async (setting) => {
    const server = await setting.startOurs();
    const token = (await requestTokens(server, [owner])).get(owner.accountId) ?? '';
    const path = await createReport(server, token);
    const expected = await readExpected(setting.database);
    return {
      service: server,
      ours: {
        name: 'our server, results.csv',
        read: () => download(server, path, token),
        isCorrect: ({ lines, lastLine }) =>
          lines === expected.rows + 1 && lastLine.startsWith(expected.lastCells),
      },
      copy: {
        name: 'psql, COPY … CSV',
        read: () =>
          copyEmployees(setting.database, owner, { columns: formatted, format: '(FORMAT csv, HEADER)' }),
      },
      atMost: 1.25,
      mostRounds: 7,
      atMostMemory: 50e6,
    };
  },
});

/** Saves a report with the columns of {@link formatted} and returns the path of its CSV. */
async function createReport({ port }: ServerProcess, token: string): Promise<string> {
  const client = new HttpClient(port);
  const response = await client.send(
    sendJson('POST', '/v1/reports', token, { title: 'All employees', columns: reportColumns }),
  );
  client.close();
  if (response.status !== 201) throw new Error(`The report was not saved: ${response.status}`);
  return `/v1/reports/${jsonOf(response).data.id}/results.csv`;
}

/** Downloads a table, counts its lines and returns the last one. */
async function download({ port }: ServerProcess, path: string, token: string): Promise<Downloaded> {
  const headers = { authorization: `Bearer ${token}` };
  const [response] = (await once(http.get({ host: '127.0.0.1', port, path, headers }), 'response')) as [
    IncomingMessage,
  ];
  if (response.statusCode !== 200) throw new Error(`The status of ${path} is ${response.statusCode}`);
  let lines = 0;
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of response) {
    lines += countLines(chunk);
    tail = Buffer.concat([tail, chunk]).subarray(-1000);
  }
  return { lines, lastLine: tail.toString().trimEnd().split('\n').at(-1) ?? '' };
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) lines += 1;
  return lines;
}

async function readExpected({ url }: Database): Promise<{ rows: number; lastCells: string }> {
  const [expected] = await query(
    url,
    `SELECT (SELECT count(*)::int FROM employees WHERE account_id = $1) AS rows,
            concat_ws(',', id, employee_number, first_name, last_name, email, status, department) || ',' AS "lastCells"
     FROM employees WHERE account_id = $1 ORDER BY position DESC LIMIT 1`,
    [owner.accountId],
  );
  return expected;
}
