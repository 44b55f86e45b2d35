import pg from 'pg';

const settings = { connectionString: process.env.DATABASE_URL, options: '-c TimeZone=UTC -c jit=off' };

/** Connections of the pool: the default of our server. */
const poolSize = 10;

/** Connections among which pipelined statements are distributed; with more, fewer are written together. */
const pipelinedConnections = 2;

/** Rows are arrays of the texts that the database sent. */
const raw = { rowMode: 'array' as const, types: { getTypeParser: () => (value: unknown) => value } };

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly string[];
}

type Done = (error: Error | null, result: { rows: string[][] }) => void;

/** Runs one prepared statement. */
export type Query = (statement: Statement, done: Done) => void;

/** The parts of a client that are missing in the types of `pg`. */
interface QueryByCallback {
  query(config: object, done: Done): void;
  readonly connection: { readonly stream: { cork(): void; uncork(): void } };
}

/** One statement at a time on each connection of a pool, as usual. */
function poolQuery(): Query {
  const pool = new pg.Pool({ ...settings, max: poolSize }) as unknown as QueryByCallback;
  return (statement, done) => pool.query({ ...raw, ...statement }, done);
}

/** Statements in a row on two connections; those of one turn of the event loop are written together. */
async function pipelineQuery(): Promise<Query> {
  const clients = Array.from(
    { length: pipelinedConnections },
    () => new pg.Client({ ...settings, pipeline: true } as pg.ClientConfig),
  );
  for (const client of clients) await client.connect();
  let turn = 0;
  return (statement, done) => {
    turn = (turn + 1) % clients.length;
    const client = clients[turn] as unknown as QueryByCallback;
    const { stream } = client.connection;
    stream.cork();
    client.query({ ...raw, ...statement }, done);
    process.nextTick(() => stream.uncork());
  };
}

export async function openQuery({ pipeline }: { pipeline: boolean }): Promise<Query> {
  return pipeline ? pipelineQuery() : poolQuery();
}
