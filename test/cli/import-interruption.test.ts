import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type DatabaseOptions, openDatabase } from '../../src/database/client.js';
import type { AccountId } from '../../src/services/account-id.js';
import { runCommand, startCommand } from '../support/cli.js';
import { createTestDatabase, testServer } from '../support/database.js';
import { checkTree } from '../support/employee-tree.js';
import { makeRecords, storedRecords, toCsv } from '../support/import.js';
import { buildServer } from '../support/server-process.js';
import { createTenant } from '../support/tenant.js';

buildServer();

const records = makeRecords(6_000);
const text = toCsv(records);
const batchSize = 100;

async function setUp(t: Test, engine: 'embedded' | 'postgresql') {
  const options = await createTestDatabase(t, engine === 'embedded' ? { engine } : {});
  const { accountId } = await use(options, (database) => createTenant(database));
  const file = path.join(options.dataDir, 'staff.csv');
  await writeFile(file, text);
  const args = ['employees', 'import', file, '--account', accountId, '--batch-size', String(batchSize)];
  return { options, accountId, args };
}

async function use<Result>(
  options: DatabaseOptions,
  work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase(options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Whole batches from the start of the file and nothing else, in the rows, the counts and the audit log. */
async function checkPrefix(t: Test, options: DatabaseOptions, accountId: AccountId): Promise<number> {
  return await use(options, async (database) => {
    const stored = await storedRecords(database, accountId);
    t.equal(stored.length % batchSize, 0);
    t.same(stored, records.slice(0, stored.length));
    const total = await database.prisma.employeeCount.findFirst({ where: { accountId, level: 4 } });
    t.equal(total?.count ?? 0, stored.length, 'record_count');
    const events = await database.prisma.auditEvent.findMany({ where: { accountId } });
    const created = events.map(({ details }) => Number((details as { created: string }).created));
    t.equal(
      created.reduce((sum, count) => sum + count, 0),
      stored.length,
      'what the audit log tells of',
    );
    await checkTree(t, database);
    return stored.length;
  });
}

for (const engine of ['embedded', 'postgresql'] as const) {
  const skip = engine === 'postgresql' && testServer === undefined;

  t.test(`killed half-way and run again: nothing lost, nothing doubled (${engine})`, { skip }, async (t) => {
    const { options, accountId, args } = await setUp(t, engine);
    // The refusal of a line is said after every batch before it was stored.
    const part = `${text
      .split('\r\n')
      .slice(0, 1 + 12 * batchSize)
      .join('\r\n')}\r\nbroken\r\n`;
    const first = startCommand(t, options, args.with(2, '-').concat('--format', 'csv'));
    first.child.stdin.write(
      `${part}${text
        .split('\r\n')
        .slice(1 + 12 * batchSize, 20 + 12 * batchSize)
        .join('\r\n')}`,
    );
    await first.said('line 1202: ');
    first.child.kill('SIGKILL');
    t.equal((await first.result).code, null);
    t.equal(await checkPrefix(t, options, accountId), 12 * batchSize);

    let kills = 0;
    for (let delayMs = 600; kills < 4; delayMs += 250 + Math.random() * 250) {
      const next = startCommand(t, options, args);
      next.child.stdin.end();
      const ended = await Promise.race([next.result, wait(delayMs)]);
      if (ended !== undefined) break;
      next.child.kill('SIGKILL');
      await next.result;
      kills += 1;
      t.ok((await checkPrefix(t, options, accountId)) >= 12 * batchSize);
    }
    t.comment(`${kills} more kills`);

    const last = await runCommand(t, options, args);
    t.equal(last.code, 0, last.stderr);
    t.equal(await checkPrefix(t, options, accountId), records.length);
    const again = await runCommand(t, options, [...args, '--json']);
    t.match(JSON.parse(again.stdout), { created: 0, updated: 0, unchanged: records.length });
  });
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  t.test(`${signal} ends an import in good order, and it says what is stored`, async (t) => {
    const { options, accountId, args } = await setUp(t, testServer === undefined ? 'embedded' : 'postgresql');
    const command = startCommand(t, options, args.with(2, '-').concat('--format', 'csv'));
    const lines = text.split('\r\n');
    command.child.stdin.write(`${lines.slice(0, 1 + 350).join('\r\n')}\r\nbroken\r\n`);
    await command.said('line 352: ');
    command.child.kill(signal);
    // What npm passes on besides must not end it sooner.
    command.child.kill(signal);
    const { code, stdout, stderr } = await command.result;
    t.match(stderr, /\nInterrupted\.\n$/);
    t.equal(code, 130);
    t.match(stdout, /^351 records read: 300 created, 0 updated, 0 unchanged, 1 refused, 50 not stored\.\n/);
    t.match(stdout, /Run the import again to go on\.\n$/);
    t.equal(await checkPrefix(t, options, accountId), 300);
  });
}
