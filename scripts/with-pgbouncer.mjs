// Runs a command against PgBouncer: node scripts/with-pgbouncer.mjs session|transaction COMMAND...
// TEST_DATABASE_URL is the URL of a PostgreSQL server, with the name of a superuser. The command receives the URL of PgBouncer in
// TEST_DATABASE_URL, and that of the server in TEST_DIRECT_DATABASE_URL. PGBOUNCER_BIN is the program to start; default: the
// one in PATH. Transaction mode requires PgBouncer 1.21.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './demo-server.mjs';

const modes = {
  // The default of PostgreSQL.
  session: ['default_pool_size = 100'],
  // Few server connections, and a different one for each transaction, so that tests detect remaining session state.
  transaction: ['default_pool_size = 10', 'server_round_robin = 1', 'max_prepared_statements = 200'],
};

const [mode, command, ...args] = process.argv.slice(2);
const serverUrl = process.env.TEST_DATABASE_URL;
if (!Object.hasOwn(modes, mode ?? '') || command === undefined || !serverUrl) {
  process.stderr.write(
    'TEST_DATABASE_URL=URL node scripts/with-pgbouncer.mjs session|transaction COMMAND...\n',
  );
  process.exit(1);
}

const directory = mkdtempSync(path.join(tmpdir(), 'people-api-pgbouncer-'));
const log = path.join(directory, 'log');
// Ctrl-C interrupts the command as well. This process continues, to clean up.
process.on('SIGINT', () => {});
let pgbouncer;
try {
  const { configuration, pooledUrl, port } = await writeConfiguration(new URL(serverUrl));
  pgbouncer = start(configuration);
  await untilListening(pgbouncer, port);
  process.exitCode = run(pooledUrl);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  // Some versions wait for clients after SIGTERM.
  pgbouncer?.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}

async function writeConfiguration(server) {
  const port = await freePort();
  const user = decodeURIComponent(server.username);
  // PgBouncer requires a password, even when the server does not.
  const password = decodeURIComponent(server.password) || randomBytes(16).toString('hex');
  const pooledUrl = Object.assign(new URL(server), { host: `127.0.0.1:${port}`, password });
  const users = path.join(directory, 'users.txt');
  const configuration = path.join(directory, 'pgbouncer.ini');
  writeFileSync(users, `${quoted(user)} ${quoted(password)}\n`);
  writeFileSync(configuration, settings({ server, port, user, users }));
  // PgBouncer runs as another user when this process is root.
  chmodSync(directory, 0o755);
  return { configuration, pooledUrl: pooledUrl.toString(), port };
}

function settings({ server, port, user, users }) {
  return `[databases]
* = host=${server.hostname} port=${server.port || 5432}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
auth_user = ${user}
auth_query = SELECT usename, passwd FROM pg_shadow WHERE usename = $1
pool_mode = ${mode}
max_client_conn = 2000
min_pool_size = 0
server_idle_timeout = 1
server_login_retry = 1
query_wait_timeout = 3
${modes[mode].join('\n')}
`;
}

function start(configuration) {
  const output = openSync(log, 'a');
  // PgBouncer does not run as root.
  const asUser = process.getuid() === 0 ? ['-u', 'nobody'] : [];
  const program = process.env.PGBOUNCER_BIN || 'pgbouncer';
  return spawn(program, [...asUser, configuration], { stdio: ['ignore', output, output] });
}

async function untilListening(child, port) {
  // Throws when the program does not exist.
  await once(child, 'spawn');
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer exited:\n${readFileSync(log, 'utf8')}`);
    await wait(20);
  }
}

function run(pooledUrl) {
  const env = { ...process.env, TEST_DATABASE_URL: pooledUrl, TEST_DIRECT_DATABASE_URL: serverUrl };
  const { status, error } = spawnSync(command, args, { env, stdio: 'inherit' });
  if (error !== undefined) throw error;
  return status ?? 1;
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

function quoted(text) {
  return `"${text.replaceAll('"', '""')}"`;
}
