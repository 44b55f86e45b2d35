import { once } from 'node:events';
import http from 'node:http';
import { withClient } from '../database/server.mjs';
import { tenant } from '../database/tenants.mjs';
import { exchangeOnce, requestBytes } from '../load/connection.mjs';
import { requestTokens } from '../subjects/tokens.mjs';
import { copyEmployees, shown } from './copy.mjs';
import { race } from './race.mjs';
import { sizes } from './sizes.mjs';

const owner = tenant(1);
const newline = 10;

/** A report with all columns, as one table. */
export const csvWork = race({
  name: 'csv',
  title: `Report of ${sizes.million.employees} rows as CSV`,
  database: 'million',
  prepare: async (scene) => {
    const server = await scene.startOurs();
    const headers = {
      authorization: `Bearer ${(await requestTokens(server, [owner])).get(owner.accountId)}`,
    };
    const path = await createReport(server, headers);
    const expected = await readExpected(scene.database);
    return {
      subject: server,
      ours: {
        name: 'our server, results.csv',
        act: () => download(server, { path, headers }),
        isRight: ({ lines, lastLine }) =>
          lines === expected.rows + 1 && lastLine.startsWith(expected.lastCells),
        units: ({ lines }) => lines / 1000,
        unit: 'thousand rows',
      },
      copy: {
        name: 'psql, COPY … CSV',
        act: () => copyEmployees(scene.database, owner, { columns: shown, format: '(FORMAT csv, HEADER)' }),
      },
      atMost: 1.25,
      mostRounds: 7,
      atMostMemory: 50e6,
    };
  },
});

/** Saves a report with all columns and returns the path of its CSV. */
async function createReport({ ports: [port] }, headers) {
  const request = requestBytes({
    method: 'POST',
    path: '/v1/reports',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Everybody' }),
  });
  const { status, body } = await exchangeOnce({ port }, request);
  if (status !== 201) throw new Error(`The report could not be saved: ${status} ${body}`);
  return `/v1/reports/${JSON.parse(body.toString()).data.id}/results.csv`;
}

/** Downloads a table; only its lines are counted, and the last one is kept. */
async function download({ ports: [port] }, { path, headers }) {
  const request = http.get({ host: '127.0.0.1', port, path, headers });
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`${path} is answered with ${response.statusCode}`);
  let lines = 0;
  let tail = Buffer.alloc(0);
  for await (const chunk of response) {
    lines += countLines(chunk);
    tail = Buffer.concat([tail, chunk]).subarray(-1000);
  }
  return { lines, lastLine: tail.toString().trimEnd().split('\n').at(-1) };
}

function countLines(chunk) {
  let lines = 0;
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) lines += 1;
  return lines;
}

function readExpected({ url }) {
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM employees WHERE account_id = $1) AS rows,
              concat_ws(',', id, employee_number, first_name, last_name, email, status, department) || ',' AS "lastCells"
       FROM employees WHERE account_id = $1 ORDER BY position DESC LIMIT 1`,
      [owner.accountId],
    );
    return rows[0];
  });
}
