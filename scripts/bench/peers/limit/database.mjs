import pg from 'pg';
import { poolSize } from '../../root.mjs';

const settings = { connectionString: process.env.DATABASE_URL, options: '-c TimeZone=UTC -c jit=off' };

/** Connections that pipelined statements are shared out among; more would write more often. */
const pipelined = 2;

/** Rows are arrays of the texts that the database sent. */
const raw = { rowMode: 'array', types: { getTypeParser: () => (value) => value } };

/**
 * Runs one prepared statement.
 *
 * @callback Query
 * @param {{ name: string, text: string, values: string[] }} statement
 * @param {(error: Error | null, result: { rows: string[][] }) => void} done
 */

/** A statement at a time on each connection of a pool, as usual. */
function poolQuery() {
  const pool = new pg.Pool({ ...settings, max: poolSize });
  return (statement, done) => pool.query({ ...raw, ...statement }, done);
}

/** Statements one behind the other on two connections; those of one turn of the event loop are written at once. */
async function pipelineQuery() {
  const clients = Array.from({ length: pipelined }, () => new pg.Client({ ...settings, pipeline: true }));
  for (const client of clients) await client.connect();
  let turn = 0;
  return (statement, done) => {
    turn = (turn + 1) % pipelined;
    const client = clients[turn];
    const { stream } = client.connection;
    stream.cork();
    client.query({ ...raw, ...statement }, done);
    process.nextTick(() => stream.uncork());
  };
}

/** @returns {Promise<Query>} */
export async function openQuery({ pipeline }) {
  return pipeline ? pipelineQuery() : poolQuery();
}
