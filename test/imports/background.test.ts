import { UploadWorker } from '../../src/features/imports/uploads/upload-worker.js';
import type { Database } from '../../src/platform/database/client.js';
import {
  accountScope,
  currentScope,
  noAccount,
  type TenantScope,
} from '../../src/platform/database/scope.js';
import { check, factOn, press, runImport, startUpload, stateOn } from '../support/browser/import-pages.js';
import { eventsOf } from '../support/browser/user-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { csvHeader, makeRecords, storedRecords, toCsv } from '../support/records/import.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';

// A separate database, because a worker runs the imports of all accounts.
const opened = await openTestDatabase(t);
const { prisma } = opened;

/** Transactions of batches of an account, which wait from a number on. */
interface Hold {
  passes: number;
  readonly onReached: () => void;
  readonly released: Promise<void>;
}

const holds = new Map<TenantScope, Hold>();

async function enterBatch(): Promise<void> {
  const hold = holds.get(currentScope(noAccount));
  if (hold === undefined) return;
  hold.passes -= 1;
  if (hold.passes >= 0) return;
  hold.onReached();
  await hold.released;
}

/** The time limit of a transaction of a batch, in milliseconds. Other transactions have less. */
const batchTimeoutMs = 600_000;

const transaction = async (work: never, options?: { timeout?: number }) => {
  if (options?.timeout === batchTimeoutMs) await enterBatch();
  return prisma.$transaction(work, options);
};
/** Called before each chunk of a file is read. */
let beforeChunk = async () => {};

const chunks = new Proxy(prisma.employeeImportChunk, {
  get: (target, name) =>
    name === 'findFirst'
      ? async (query: never) => {
          await beforeChunk();
          return target.findFirst(query);
        }
      : Reflect.get(target, name),
});
const replaced: Record<PropertyKey, unknown> = { $transaction: transaction, employeeImportChunk: chunks };
const database: Database = {
  ...opened,
  prisma: new Proxy(prisma, { get: (target, name) => replaced[name] ?? Reflect.get(target, name) }),
};
const batchSize = 4;
const api = await buildTestApp(t, { database, importBatchSize: batchSize });
const makeWorker = () => new UploadWorker({ database, clock: api.clock, contract, batchSize });

async function visit() {
  const scene = await createScene(database);
  return { ...scene, browser: await signedInBrowser(api, scene.user) };
}

type Visit = Awaited<ReturnType<typeof visit>>;

const idOf = (address: string) => address.split('/').at(-1) ?? '';
const rowOf = ({ accountId }: Visit) => prisma.employeeImport.findFirstOrThrow({ where: { accountId } });

/** A checked file whose import has not started. */
async function checked(visit: Visit, count: number): Promise<string> {
  const address = await startUpload(visit.browser, toCsv(makeRecords(count)));
  await prisma.employeeImport.updateMany({
    where: { id: idOf(address) },
    data: { state: 'checked', attributes: csvHeader.split(',') },
  });
  return address;
}

/** Lets a number of batches of an account pass. The next one waits until it is released. */
function holdAfter({ accountId }: Visit, batches: number) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((onReached) => {
    holds.set(accountScope(accountId), { passes: batches, onReached, released });
  });
  return { reached, release };
}

t.test('an import that is cancelled stops after the batch, and keeps what is stored', async (t) => {
  const visitor = await visit();
  const address = await checked(visitor, 16);
  const held = holdAfter(visitor, 2);
  await press(visitor.browser, address, 'start');
  await held.reached;
  const running = await visitor.browser.open(address);
  t.equal(stateOn(running), 'Importing');
  t.match(running.body, /rows read, \d+ % of the file/);
  t.match(running.body, /<progress/);
  await press(visitor.browser, address, 'cancel');
  held.release();
  await api.uploadWorker.idle();
  const page = await visitor.browser.open(address);
  t.equal(stateOn(page), 'Cancelled');
  t.match(page.body, /Employees that were imported before remain/);
  const stored = await prisma.employee.count({ where: { accountId: visitor.accountId } });
  t.equal(stored, 12);
  t.equal(factOn(page, 'Created'), '12');
  t.equal(await prisma.employeeImportChunk.count({ where: { accountId: visitor.accountId } }), 0);
  t.match(await eventsOf(database, visitor.accountId), [{ details: { created: '12', finished: 'no' } }]);
});

t.test('small imports of other accounts do not wait for a large one', async (t) => {
  const [large, small, third] = [await visit(), await visit(), await visit()];
  const addresses = [await checked(large, 8), await checked(small, 2), await checked(third, 2)];
  const held = holdAfter(large, 1);
  await press(large.browser, addresses[0] ?? '', 'start');
  await held.reached;
  await press(small.browser, addresses[1] ?? '', 'start');
  await press(third.browser, addresses[2] ?? '', 'start');
  for (const other of [small, third]) await until(async () => (await rowOf(other)).state === 'complete');
  t.equal((await rowOf(large)).state, 'importing');
  held.release();
  await api.uploadWorker.idle();
  t.equal((await rowOf(large)).state, 'complete');
  t.equal((await rowOf(large)).created, 8);
});

t.test('another worker continues the import of a stopped worker after its last batch', async (t) => {
  const visitor = await visit();
  await checked(visitor, 12);
  const queue = { state: 'importing', queuedAt: api.clock() };
  await prisma.employeeImport.updateMany({ where: { accountId: visitor.accountId }, data: queue });
  const held = holdAfter(visitor, 1);
  const first = makeWorker();
  first.wake();
  await held.reached;
  const stopped = first.stop();
  held.release();
  await stopped;
  const left = await rowOf(visitor);
  t.match(left, { state: 'importing', lockedBy: null, leaseUntil: null });
  t.equal(left.read, 8);
  const second = makeWorker();
  await Promise.all([second.poll(), second.poll()]);
  await second.idle();
  t.match(await rowOf(visitor), { state: 'complete', read: 12, created: 12, unchanged: 0 });
  t.equal((await storedRecords(database, visitor.accountId)).length, 12);
  await second.stop();
});

t.test(
  'a file of empty lines is read no further once its check is cancelled or the process stops',
  async (t) => {
    let beat = async () => {};
    t.intercept(globalThis, 'setInterval', {
      value: (heartbeat: () => Promise<void>) => {
        beat = heartbeat;
        return setTimeout(() => {}, 0);
      },
    });
    const visitor = await visit();
    // Three chunks.
    const file = Buffer.concat([Buffer.from(toCsv(makeRecords(1))), Buffer.alloc(600_000, '\n')]);
    const address = await startUpload(visitor.browser, file);
    const queue = { state: 'checking', queuedAt: api.clock(), attributes: csvHeader.split(',') };
    await prisma.employeeImport.updateMany({ where: { id: idOf(address) }, data: queue });
    for (const [how, state] of [
      ['stop', 'checking'],
      ['cancel', 'cancelled'],
    ] as const) {
      const worker = makeWorker();
      let read = 0;
      beforeChunk = async () => {
        read += 1;
        if (read !== 2) return;
        if (how === 'stop') void worker.stop();
        else await press(visitor.browser, address, 'cancel');
        await beat();
      };
      await worker.poll();
      await worker.idle();
      beforeChunk = async () => {};
      t.equal(read, 2, how);
      t.match(await rowOf(visitor), { state, lockedBy: null });
      await worker.stop();
    }
  },
);

t.test('a process that has lost its lease stores nothing more', async (t) => {
  const visitor = await visit();
  const address = await checked(visitor, 8);
  const held = holdAfter(visitor, 1);
  await press(visitor.browser, address, 'start');
  await held.reached;
  const leaseUntil = new Date(api.clock().getTime() + 30_000);
  await prisma.employeeImport.updateMany({
    where: { accountId: visitor.accountId },
    data: { lockedBy: 'another process', leaseUntil },
  });
  held.release();
  await api.uploadWorker.idle();
  t.equal((await rowOf(visitor)).read, 4);
  t.equal(await prisma.employee.count({ where: { accountId: visitor.accountId } }), 4);
  await api.uploadWorker.poll();
  t.equal((await rowOf(visitor)).lockedBy, 'another process', 'not before the lease ends');
  api.clock.advanceSeconds(31);
  await api.uploadWorker.poll();
  await api.uploadWorker.idle();
  t.match(await rowOf(visitor), { state: 'complete', read: 8, created: 8, unchanged: 0 });
});

t.test('an import that stops repeatedly without progress fails with a message', async (t) => {
  const visitor = await visit();
  const address = await checked(visitor, 2);
  await prisma.employeeImport.updateMany({
    where: { id: idOf(address) },
    data: { state: 'importing', queuedAt: api.clock(), attempts: 5 },
  });
  await api.uploadWorker.poll();
  await api.uploadWorker.idle();
  const page = await visitor.browser.open(address);
  t.equal(stateOn(page), 'Failed');
  t.match(page.body, /stopped several times because of an internal error/);
  t.equal(await prisma.employeeImportChunk.count({ where: { accountId: visitor.accountId } }), 0);
});

t.test('an import that is cancelled while no process runs it ends at once', async (t) => {
  const visitor = await visit();
  const address = await checked(visitor, 2);
  await prisma.employeeImport.updateMany({
    where: { id: idOf(address) },
    data: { state: 'importing', queuedAt: api.clock() },
  });
  await press(visitor.browser, address, 'cancel');
  t.equal(stateOn(await visitor.browser.open(address)), 'Cancelled');
  t.same(await storedRecords(database, visitor.accountId), []);
});

t.test('the check counts an employee number in several batches as the import does', async (t) => {
  const visitor = await visit();
  const records = makeRecords(6);
  const [first, second] = records;
  if (first === undefined || second === undefined) throw new Error('There are no records');
  const address = await startUpload(
    visitor.browser,
    toCsv([...records, { ...first, department: 'Last' }, second]),
  );
  const counts = { read: 8, created: 6, updated: 1, unchanged: 1 };
  const page = await check(api, visitor.browser, address);
  t.equal(factOn(page, 'To be created'), '6');
  t.equal(factOn(page, 'To be updated'), '1');
  t.match(await rowOf(visitor), counts);

  // As if a process had stopped after the first batch.
  const queue = { state: 'checking', queuedAt: api.clock(), finishedAt: null };
  const progress = { read: 4, created: 4, updated: 0, unchanged: 0 };
  await prisma.employeeImport.updateMany({
    where: { id: idOf(address) },
    data: { ...queue, ...progress },
  });
  await api.uploadWorker.poll();
  await api.uploadWorker.idle();
  t.match(await rowOf(visitor), { state: 'checked', ...counts }, 'by a process that continues');

  await runImport(api, visitor.browser, address);
  t.match(await rowOf(visitor), { state: 'complete', ...counts });
  t.equal((await storedRecords(database, visitor.accountId))[0]?.department, 'Last');
});
