import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setIssuer } from '../../src/oauth/recorded-issuer.js';
import { createTestDatabase } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { startMailServer } from '../support/server/mail-server.js';
import t, { type Test } from '../support/tap.js';

const options = await createTestDatabase(t);
const doctor = (environment: Record<string, string> = {}) =>
  runCommandHere(options, ['doctor'], '', environment);

/** Serves one text at every path. */
async function serve(t: Test, text: () => string): Promise<string> {
  const server = createServer((_, response) => response.end(text()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('doctor reports a migrated database, its issuer, and the mail server', async (t) => {
  const database = await openForCommands(options);
  let issuer = '';
  issuer = await serve(t, () => JSON.stringify({ issuer }));
  await setIssuer(database, issuer, new Date());
  const mail = await startMailServer(t);
  const { code, stdout, stderr } = await doctor({ BASE_URL: issuer, SMTP_URL: mail.url });
  t.equal(stderr, '');
  t.equal(code, 0);
  t.equal(stdout.match(/^ok /gm)?.length, 8, stdout);
  t.same(mail.mails, []);
});

t.test('doctor fails with a reason for each thing that does not work', async (t) => {
  const database = await openForCommands(options);
  await setIssuer(database, 'https://people.example', new Date());
  const other = await serve(t, () => '{"issuer":"https://other.example"}');
  const { code, stdout, stderr } = await doctor({
    BASE_URL: other,
    SMTP_URL: 'smtp://user:secret@127.0.0.1:1',
  });
  t.equal(code, 1);
  t.match(
    stdout,
    /\n(attention|failed {3}) Issuer: tokens of this database are issued by https:\/\/people\.example/,
  );
  t.match(stdout, /\nfailed {4}Mail: the server of SMTP_URL cannot be used: /);
  t.match(stdout, /\nfailed {4}BASE_URL: .* responds with status 200, and not with the issuer/);
  t.match(stderr, /checks failed\.\n$/);
  t.notMatch(stdout + stderr, /secret/);
  const invalid = await doctor({ SMTP_URL: 'ftp://mail.example' });
  t.equal(invalid.code, 1);
  t.equal(invalid.stdout, '');
  t.match(invalid.stderr, /SMTP_URL/);
});

t.test('doctor names the migrations that the next start applies, and applies none', async (t) => {
  const database = await openForCommands(options);
  const [newest] = await asOwner<{ name: string }>(
    database,
    `DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)
     RETURNING migration_name AS name`,
  );
  for (let run = 0; run < 2; run += 1) {
    const { stdout } = await doctor();
    t.match(stdout, new RegExp(`\\nattention Migrations: .* applies ${newest?.name}\\n`));
  }
});
