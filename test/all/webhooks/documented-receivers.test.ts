import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { signWebhook } from '../../../src/features/webhooks/delivery/webhook-sender.js';
import { patienceMs } from '../../support/patience.js';
import { withoutTap } from '../../support/processes/plain-process.js';
import { buildTestApp } from '../../support/server/app.js';
import { createTestClock } from '../../support/server/clock.js';
import { freePort } from '../../support/server/free-port.js';
import t, { type Test } from '../../support/tap.js';
import { createWorker, webhookScene } from '../../support/webhooks/scene.js';
import { commandFile, linkPackages, makeFolder } from '../clients/packages.js';
import { blocksOf, readSection } from '../clients/readme.js';

const blocks = blocksOf(await readSection('Receivers', 'docs/events.md'));
const programOf = (language: string) => blocks.find((block) => block.language === language)?.text ?? '';

/** Compiles the receiver as a reader does, and returns the command that runs it. */
async function compileTypeScript(t: Test): Promise<[string, string]> {
  const folder = await makeFolder(t);
  await linkPackages(folder, ['standardwebhooks', '@types/node']);
  await writeFile(path.join(folder, 'receiver.mts'), programOf('ts'));
  const options = '--strict --skipLibCheck --target es2022 --module nodenext --types node receiver.mts';
  const compile = [await commandFile('typescript', 'tsc'), ...options.split(' ')];
  await promisify(execFile)(...withoutTap(process.execPath, compile), { cwd: folder });
  return [process.execPath, path.join(folder, 'receiver.mjs')];
}

async function writePython(t: Test): Promise<[string, string]> {
  const file = path.join(await makeFolder(t), 'receiver.py');
  await writeFile(file, programOf('python'));
  return ['python3', file];
}

/** Runs a receiver, and returns what it has printed so far. */
async function start(
  t: Test,
  [program, file]: [string, string],
  environment: { PORT: string; WEBHOOK_SECRET: string },
) {
  const child = spawn(...withoutTap(program, [file]), { env: { PATH: process.env.PATH, ...environment } });
  t.teardown(() => child.kill());
  let printed = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const isListening = () =>
    fetch(`http://localhost:${environment.PORT}/`, { method: 'POST', body: '{}' }).then(
      ({ status }) => status === 400,
      () => false,
    );
  if (!(await eventually(isListening))) throw new Error(`The receiver does not respond: ${errors}`);
  return () => printed;
}

async function eventually(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await wait(50))
    if (await holds()) return true;
  return false;
}

for (const [language, prepare] of [
  ['TypeScript', compileTypeScript],
  ['Python', writePython],
] as const) {
  t.test(`the documented ${language} receiver prints the events of verified deliveries only`, async (t) => {
    const command = await prepare(t);
    const api = await buildTestApp(t, { clock: createTestClock(new Date()) });
    const { accountId, create, post, addEmployees } = await webhookScene(api);
    const { run } = createWorker(t, api);
    const port = await freePort();
    const url = `http://localhost:${port}/`;
    const { id, secret } = await create({ url });
    const printed = await start(t, command, { PORT: String(port), WEBHOOK_SECRET: secret });
    const line = (position: number, employee: string | undefined) =>
      `evt_${accountId}_0000000${position} employee.created ${employee}\n`;

    const [first] = await addEmployees(1);
    await run();
    t.ok(await eventually(() => printed() === line(1, first)), printed());
    await post(`/${id}/secrets`);
    const [second] = await addEmployees(1);
    await run();
    const expected = line(1, first) + line(2, second);
    t.ok(await eventually(() => printed() === expected), 'also signed with two secrets');

    const body = JSON.stringify({
      data: [{ id: 'forged', type: 'employee.created', resource: { id: 'forged' } }],
    });
    const send = async (signedWith: string, ageSeconds: number, sent = body) => {
      const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
      const headers = {
        'webhook-id': 'msg_forged',
        'webhook-timestamp': timestamp,
        'webhook-signature': signWebhook([signedWith], {
          id: 'msg_forged',
          timestamp,
          body: Buffer.from(body),
        }),
      };
      return (await fetch(url, { method: 'POST', headers, body: sent })).status;
    };
    t.equal(await send(`whsec_${Buffer.alloc(32).toString('base64')}`, 0), 400, 'a wrong signature');
    t.equal(await send(secret, 0, `${body} `), 400, 'a changed body');
    t.equal(await send(secret, 400), 400, 'an old timestamp');
    t.equal(await send(secret, -400), 400, 'a timestamp in the future');
    t.equal(printed(), expected);
    t.equal(await send(secret, 0), 204);
    t.ok(await eventually(() => printed() === `${expected}forged employee.created forged\n`));
  });
}
