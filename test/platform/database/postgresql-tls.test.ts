import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { patienceMs } from '../../support/patience.js';
import t, { type Test } from '../../support/tap.js';

const hasOpenssl = { skip: spawnSync('openssl', ['version']).status !== 0 && 'openssl is not installed' };

t.test('sslmode and sslrootcert mean what they mean in libpq', hasOpenssl, async (t) => {
  const directory = t.testdir();
  const own = createCertificate(directory, 'database.example');
  const other = createCertificate(directory, 'other.example');
  const port = await startServer(t, own);
  const options = { dataDir: '', connectionTimeoutMs: patienceMs };
  const untrusted = /self.signed certificate/;
  const wrongName = /does not match certificate/;
  for (const [parameters, message] of [
    ['', 'without TLS'],
    ['sslmode=disable', 'without TLS'],
    ['sslmode=require', 'with TLS'],
    [`sslmode=require&sslrootcert=${own.file}`, 'with TLS'],
    [`sslmode=require&sslrootcert=${other.file}`, untrusted],
    [`sslmode=verify-ca&sslrootcert=${own.file}`, 'with TLS'],
    [`sslmode=verify-ca&sslrootcert=${other.file}`, untrusted],
    ['sslmode=verify-full', untrusted],
    ['sslmode=verify-full&sslrootcert=system', untrusted],
    ['sslrootcert=system', untrusted],
    [`sslmode=verify-full&sslrootcert=${own.file}`, wrongName],
    [`sslmode=disable&sslmode=verify-full&sslrootcert=${own.file}`, wrongName],
  ] as const) {
    const databaseUrl = `postgres://people@127.0.0.1:${port}/people?${parameters}`;
    const expected = typeof message === 'string' ? new RegExp(`^DATABASE_URL: ${message}$`) : message;
    await t.rejects(openDatabase({ ...options, databaseUrl }), { message: expected }, parameters);
    const hosts = `postgres://people@127.0.0.1:${port},127.0.0.1:${port}/people?target_session_attrs=primary&${parameters}`;
    const reason = typeof message === 'string' ? new RegExp(`: ${message}[;)]`) : message;
    await t.rejects(openDatabase({ ...options, databaseUrl: hosts }), { message: reason }, parameters);
  }
});

interface Certificate {
  readonly file: string;
  readonly key: string;
}

function createCertificate(directory: string, host: string): Certificate {
  const [file, key] = [path.join(directory, `${host}.crt`), path.join(directory, `${host}.key`)];
  const { status, stderr } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, '-keyout', key, '-out', file],
  ]);
  if (status !== 0) throw new Error(String(stderr));
  return { file, key };
}

/** A server that accepts TLS, and rejects each session with a message that states whether it is encrypted. */
async function startServer(t: Test, { file, key }: Certificate): Promise<number> {
  const secureContext = createSecureContext({ cert: await readFile(file), key: await readFile(key) });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (message) => {
      // SSLRequest
      if (message.length !== 8) return socket.end(rejection('without TLS'));
      const secure = new TLSSocket(socket, { isServer: true, secureContext });
      secure.on('error', () => {});
      secure.once('data', () => secure.end(rejection('with TLS')));
      return socket.write('S');
    });
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** An ErrorResponse of PostgreSQL. */
function rejection(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C28000\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
