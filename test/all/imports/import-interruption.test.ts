import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AccountId } from '../../../src/platform/accounts/account-id.js';
import type { DatabaseOptions } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createTestDatabase } from '../../support/database/database.js';
import { runCommand, runCommandHere, startCommand } from '../../support/processes/cli.js';
import { checkTree } from '../../support/records/employee-tree.js';
import { makeRecords, storedRecords, toCsv } from '../../support/records/import.js';
import { createTenant } from '../../support/records/tenant.js';
import t, { type Test } from '../../support/tap.js';

const records = makeRecords(1_500);
const text = toCsv(records);
const batchSize = 50;

async function setUp(t: Test) {
  const options = await createTestDatabase(t);
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

/** Expects whole batches from the start of the file in the rows, the counts and the audit log, and nothing else. */
async function checkPrefix(t: Test, options: DatabaseOptions, accountId: AccountId): Promise<number> {
  return await use(options, async (database) => {
    const stored = await storedRecords(database, accountId);
    // A batch is a fixed number of lines. One of them may be rejected.
    const missing = (batchSize - (stored.length % batchSize)) % batchSize;
    t.ok(missing <= 1, `whole batches: ${stored.length}`);
    t.same(stored, records.slice(0, stored.length));
    const total = await database.prisma.employeeCount.findFirst({ where: { accountId, level: 4 } });
    t.equal(total?.count ?? 0, stored.length, 'record_count');
    const events = await database.prisma.auditEvent.findMany({ where: { accountId } });
    const created = events.map(({ details }) => Number((details as { created: string }).created));
    t.equal(
      created.reduce((sum, count) => sum + count, 0),
      stored.length,
      'the audit event',
    );
    await checkTree(t, database);
    return stored.length;
  });
}

/** Adds an invalid line between two batches. It is reported after the batches before it are stored. */
function brokenAfter(batches: number, more = records.length): { input: string; refusal: string } {
  const lines = text.split('\r\n');
  const at = 1 + batches * batchSize;
  return {
    input: [...lines.slice(0, at), 'broken', ...lines.slice(at, at + more)].join('\r\n'),
    refusal: `line ${at + 1}: `,
  };
}

t.test('an import that is killed and run again loses and duplicates nothing', async (t) => {
  const { options, accountId, args } = await setUp(t);
  const killedIn = async (batches: number, delayMs: number, more?: number) => {
    const { input, refusal } = brokenAfter(batches, more);
    const { child, result, said } = startCommand(t, options, args.with(2, '-').concat('--format', 'csv'));
    child.stdin.write(input);
    await said(refusal);
    await wait(delayMs);
    child.kill('SIGKILL');
    t.equal((await result).code, null);
    return await checkPrefix(t, options, accountId);
  };
  t.equal(await killedIn(6, 0, batchSize / 5), 6 * batchSize, 'while it waits for the rest of a batch');
  // At any step of one of the next batches.
  for (const batches of [8, 18]) {
    const stored = await killedIn(batches, Math.random() * 100);
    t.ok(stored >= batches * batchSize, `while it stores: ${stored} of ${records.length}`);
  }

  const last = await runCommand(t, options, args);
  t.equal(last.code, 0, last.stderr);
  t.equal(await checkPrefix(t, options, accountId), records.length);
  const again = await runCommandHere(options, [...args, '--json']);
  t.match(JSON.parse(again.stdout), { created: 0, updated: 0, unchanged: records.length });
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  t.test(`${signal} stops an import after a batch, and prints what is stored`, async (t) => {
    const { options, accountId, args } = await setUp(t);
    const command = startCommand(t, options, args.with(2, '-').concat('--format', 'csv'));
    const lines = text.split('\r\n');
    command.child.stdin.write(`${lines.slice(0, 1 + 330).join('\r\n')}\r\nbroken\r\n`);
    await command.said('line 332: ');
    command.child.kill(signal);
    // npm also forwards the signal, which must not stop the import earlier.
    command.child.kill(signal);
    const { code, stdout, stderr } = await command.result;
    t.match(stderr, /\nInterrupted\.\n$/);
    t.equal(code, 130);
    t.match(stdout, /^331 records read: 300 created, 0 updated, 0 unchanged, 1 rejected, 30 not stored\.\n/);
    t.match(stdout, /Run the import again to continue\.\n$/);
    t.equal(await checkPrefix(t, options, accountId), 300);
  });
}
