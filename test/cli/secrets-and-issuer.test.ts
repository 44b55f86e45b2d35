import { SigningKeys } from '../../src/oauth/keys/signing-keys.js';
import { systemClock } from '../../src/platform/clock.js';
import { createTestDatabase } from '../support/database/database.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { testSecret } from '../support/server/app.js';
import t from '../support/tap.js';

const older = 'the older secret of the application';

// A database whose signing keys are encrypted with the previous secret.
const options = await createTestDatabase(t);
const keys = await SigningKeys.open(await openForCommands(options), { current: older }, systemClock);
await keys.rotate({ tokenTtlSeconds: 3600 });

const run = (args: readonly string[], environment: Record<string, string> = {}) =>
  runCommandHere(options, args, '', environment);

t.test('keys reseal prints how many keys it re-encrypted', async (t) => {
  const changing = { APP_SECRET_PREVIOUS: older };
  t.match(await run(['keys', 'rotate']), {
    code: 1,
    stdout: '',
    stderr: /^Signing key [^\n]+ was encrypted with another APP_SECRET: [^\n]+ APP_SECRET_PREVIOUS[^\n]+\n$/,
  });
  t.match(await run(['keys', 'reseal']), {
    code: 1,
    stderr: /^Signing key [^\n]+ was encrypted with another APP_SECRET/,
  });
  t.same(await run(['keys', 'reseal'], changing), {
    code: 0,
    stdout: [
      'Re-encrypted 2 signing keys with APP_SECRET.',
      'Re-encrypted 0 secrets of authenticator apps.',
      'Re-encrypted 0 secrets of identity providers.',
      'Re-encrypted the secrets of 0 webhook endpoints.',
      '',
    ].join('\n'),
    stderr: '',
  });
  t.match(await run(['keys', 'reseal'], changing), {
    code: 0,
    stdout: /^Re-encrypted 0 signing keys/,
  });
  t.match(await run(['keys', 'rotate']), { code: 0, stdout: /^Created signing key / });
});

t.test('issuer set rejects a value that BASE_URL cannot have', async (t) => {
  for (const url of [
    'people.example',
    'ftp://people.example',
    'https://people.example/v1',
    'https://a@b.example',
  ]) {
    t.match(await run(['issuer', 'set', url]), { code: 2, stdout: '', stderr: /It must be / }, url);
  }
  t.match(await run(['issuer', 'set']), { code: 2, stderr: /missing required argument 'url'/ });
  t.match(await run(['issuer', 'show']), { code: 0, stdout: /^No issuer is recorded/ });
});

t.test('issuer show prints and issuer set changes the recorded issuer', async (t) => {
  const show = async () => (await run(['issuer', 'show'])).stdout;
  t.match(await show(), /^No issuer is recorded yet\. /);
  t.match(await run(['issuer', 'set', 'https://people.example/']), {
    code: 0,
    stdout: 'The issuer is https://people.example.\n',
  });
  t.equal(await show(), 'https://people.example\n');
  const changed = await run(['issuer', 'set', 'https://people.example.net']);
  t.match(changed, { code: 0, stderr: '' });
  t.match(changed.stdout, /access tokens issued by https:\/\/people\.example are then rejected\.\n$/);
  t.match(await run(['issuer', 'set', 'https://people.example.net']), {
    code: 0,
    stdout: /is already https/,
  });
  t.equal(await show(), 'https://people.example.net\n');
});

t.test('commands need no BASE_URL in production', async (t) => {
  const environment = { NODE_ENV: 'production', APP_SECRET: testSecret };
  for (const args of [['migrate'], ['accounts', 'list'], ['issuer', 'show'], ['prune']]) {
    t.match(await run(args, environment), { code: 0, stderr: '' }, args.join(' '));
  }
});
