// The limit of Fastify and the driver: a request is one prepared statement, without token, validation or contract. Values
// are the text values of the database. A header identifies the account.
import fastify from 'fastify';
import pg from 'pg';
import { baseUrl } from '../../../kit/paths.js';
import { bodyWriter, columns, positionOf } from './bodies.js';

/** The default of our server. */
const poolSize = 10;

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  options: '-c TimeZone=UTC -c jit=off',
  max: poolSize,
});
/** Rows are arrays of the text values of the database. */
const raw = { rowMode: 'array', types: { getTypeParser: () => (value: string) => value } } as const;
const bodies = bodyWriter(baseUrl);

const page = `
  SELECT ${columns}, position,
    (SELECT count FROM employee_counts WHERE account_id = $1 AND level = 4 AND bucket = 0)
  FROM employees WHERE account_id = $1 ORDER BY position LIMIT 51`;
const one = `SELECT ${columns} FROM employees WHERE account_id = $1 AND position = $2 AND id = $3`;

const app = fastify({ logger: false });
const json = 'application/json; charset=utf-8';

app.get('/readyz', async () => ({}));

app.get('/v1/employees', (request, reply) => {
  const values = [accountOf(request)];
  pool.query<string[]>({ ...raw, name: 'page', text: page, values }, (error, result) => {
    if (error) reply.send(error);
    else reply.header('content-type', json).send(bodies.list(result.rows));
  });
});

app.get<{ Params: { id: string } }>('/v1/employees/:id', (request, reply) => {
  const { id } = request.params;
  const values = [accountOf(request), String(positionOf(id)), id];
  pool.query<string[]>({ ...raw, name: 'one', text: one, values }, (error, result) => {
    if (error) reply.send(error);
    else if (result.rows.length === 0) reply.code(404).send({});
    else reply.header('content-type', json).send(bodies.employee(result.rows[0]));
  });
});

function accountOf({ headers }: { headers: Record<string, unknown> }): string {
  return String(headers['x-account']);
}

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
