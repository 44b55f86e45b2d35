import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { withoutTap } from '../../support/processes/plain-process.js';
import { buildTestApp } from '../../support/server/app.js';
import { createTestClock } from '../../support/server/clock.js';
import { listen } from '../../support/server/sockets.js';
import t, { type Test } from '../../support/tap.js';
import { until } from '../../support/until.js';
import { answers, eventIds, startReceiver, verify } from '../../support/webhooks/receiver.js';
import { webhookScene } from '../../support/webhooks/scene.js';
import { makeFolder } from '../clients/packages.js';

const program = path.resolve('scripts/listen/listen.mjs');

const api = await buildTestApp(t, { clock: createTestClock(new Date()) });
const baseUrl = `http://127.0.0.1:${await listen(api.app)}`;

/** An account with three events, a receiver, and a folder for the state. */
async function forwarderScene(t: Test) {
  const receiver = await startReceiver(t);
  const scene = await webhookScene(api);
  await scene.addEmployees(3);
  const folder = await makeFolder(t);
  const cursorAfter = (position: number) => `evt_${scene.accountId}_${String(position).padStart(8, '0')}`;
  const commandOf = (args: readonly string[], environment: Record<string, string> = {}) => ({
    command: withoutTap(process.execPath, [program, '--forward-to', receiver.url, ...args]),
    options: {
      cwd: folder,
      env: { PATH: process.env.PATH, BASE_URL: baseUrl, ACCESS_TOKEN: scene.token, ...environment },
    },
  });
  return {
    ...{ ...scene, receiver, folder, cursorAfter, commandOf },
    state: async () => JSON.parse(await readFile(path.join(folder, '.listen.json'), 'utf8')),
    /** Forwards until the end of the feed. */
    run: (args: readonly string[], environment: Record<string, string> = {}) =>
      new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
        const { command, options } = commandOf([...args, '--no-follow'], environment);
        execFile(...command, options, (error, stdout, stderr) =>
          resolve({ code: error?.code ?? 0, stdout, stderr }),
        );
      }),
  };
}

t.test('the forwarder sends signed pages of the feed, and the next run continues after them', async (t) => {
  const { accountId, token, receiver, folder, cursorAfter, addEmployees, run, state } =
    await forwarderScene(t);
  const first = await run(['--after', cursorAfter(1)]);
  t.equal(first.code, 0, first.stderr);
  t.same(eventIds(receiver), [cursorAfter(2), cursorAfter(3)]);
  const { secret, cursor } = await state();
  t.equal(cursor, cursorAfter(3));
  const [delivery] = receiver.received;
  t.ok(delivery);
  if (delivery === undefined) return;
  verify(secret, delivery);
  t.equal(delivery.headers['content-type'], 'application/json');
  const page = await api.get(`/v1/events?page[after]=${cursorAfter(1)}&page[size]=100`, token);
  t.equal(delivery.text, page.body, 'the body is the page of the feed');
  t.match(first.stdout, secret);
  t.match(first.stdout, new RegExp(` 200 in \\d+ ms: employee.created ${cursorAfter(2)}, employee.created`));
  t.notMatch(first.stdout + JSON.stringify(await state()), token);
  t.equal((await stat(path.join(folder, '.listen.json'))).mode & 0o777, 0o600, 'others cannot read it');

  await addEmployees(2);
  await run([]);
  t.same(eventIds(receiver).slice(2), [cursorAfter(4), cursorAfter(5)]);
  t.equal((await state()).secret, secret);
  await run(['--since', '2000-01-01T00:00:00Z', '--types', 'employee.deleted']);
  t.equal(eventIds(receiver).length, 4, 'types are selected');
  const { prisma } = api.database;
  await prisma.employee.deleteMany({ where: { accountId } });
  const own = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const last = await run(['--types', 'employee.deleted'], { WEBHOOK_SECRET: own });
  t.equal(eventIds(receiver).length, 9);
  const deleted = receiver.received.at(-1);
  if (deleted !== undefined) verify(own, deleted);
  t.notMatch(last.stdout, 'whsec_', 'a secret of the environment is not printed');
});

t.test('a page that is not accepted is sent again with its id, until the forwarder is stopped', async (t) => {
  const { receiver, cursorAfter, commandOf, state } = await forwarderScene(t);
  receiver.answer = (response) => {
    receiver.answer = answers.ok;
    answers.status(500)(response);
  };
  const { command, options } = commandOf(['--after', cursorAfter(0)]);
  const child = spawn(...command, options);
  t.teardown(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  await until(() => / 200 in/.test(printed));
  await until(async () => (await state()).cursor === cursorAfter(3));
  const [first, second] = receiver.received;
  t.equal(second?.id, first?.id);
  t.equal(second?.text, first?.text);
  t.match(printed, / 500 in \d+ ms[\s\S]*sent again in 1 s/);
  child.kill('SIGTERM');
  t.same(await once(child, 'exit'), [0, null]);
  t.equal(receiver.received.length, 2);
});

t.test('rejects a token in an argument, and what cannot work, with one line', async (t) => {
  const { receiver, run } = await forwarderScene(t);
  const other = await webhookScene(api);
  for (const [args, environment, message] of [
    [['--token', 'topsecret'], {}, "Unknown option '--token'"],
    [['topsecret'], {}, 'Unexpected argument'],
    [[], { ACCESS_TOKEN: '' }, 'ACCESS_TOKEN is required'],
    [[], { ACCESS_TOKEN: 'topsecret' }, '401 '],
    [[], { BASE_URL: 'http://api.example' }, 'BASE_URL must start with https://'],
    [['--forward-to', 'http://192.168.1.2/'], {}, '--forward-to must start with https://'],
    [[], { WEBHOOK_SECRET: 'topsecret' }, 'WEBHOOK_SECRET must be whsec_ and base64'],
    [['--after', 'evt_1', '--since', '2026-01-01T00:00:00Z'], {}, '--after and --since exclude each other'],
    [['--after', `evt_${other.accountId}_00000001`], {}, '400 '],
    [['--types', 'unknown'], {}, '400 '],
  ] as const) {
    const { code, stderr } = await run(args, environment);
    t.equal(code, 1, message);
    t.ok(stderr.startsWith(message), `${message}: ${stderr}`);
    t.equal(stderr.trim().split('\n').length, 1, stderr);
    t.notMatch(stderr, 'topsecret');
  }
  t.equal(receiver.received.length, 0);
});
