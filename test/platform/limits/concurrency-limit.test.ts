import { setImmediate as turn } from 'node:timers/promises';
import { ConcurrencyLimit } from '../../../src/platform/limits/concurrency-limit.js';
import { holdTimers } from '../../support/server/timers.js';
import t from '../../support/tap.js';

const never = new AbortController().signal;
const long = { signal: never, waitMs: 60_000 };
const rejection = () => new Error('rejected');

t.test('grants the slots of a key, and queues more callers in the order of arrival', async (t) => {
  const limit = new ConcurrencyLimit(2);
  const first = await limit.acquire('a', long);
  const second = await limit.acquire('a', long);
  const granted: string[] = [];
  const queued = ['third', 'fourth'].map(async (name) => {
    const release = await limit.acquire('a', long);
    granted.push(name);
    return release;
  });
  await turn();
  t.same(granted, []);
  first();
  await turn();
  t.same(granted, ['third']);
  second();
  await turn();
  t.same(granted, ['third', 'fourth']);
  for (const release of await Promise.all(queued)) release();
  t.equal(limit.size, 0, 'removes a key without work');
});

t.test('a released slot passes to the first queued caller, before any later caller', async (t) => {
  const limit = new ConcurrencyLimit(1);
  const release = await limit.acquire('a', long);
  const granted: string[] = [];
  const queued = limit.acquire('a', long).then((next) => {
    granted.push('queued');
    return next;
  });
  release();
  const later = limit.acquire('a', long).then((next) => {
    granted.push('later');
    return next;
  });
  (await queued)();
  (await later)();
  t.same(granted, ['queued', 'later']);
});

t.test('the slots of one key do not limit another key', async (t) => {
  const limit = new ConcurrencyLimit(1);
  const one = await limit.acquire('a', long);
  const other = await limit.acquire('b', long);
  t.equal(limit.size, 2);
  one();
  other();
  t.equal(limit.size, 0);
});

t.test('rejects a caller that was queued too long, and removes it from the queue', async (t) => {
  const timers = holdTimers(t);
  const limit = new ConcurrencyLimit(1);
  const release = await limit.acquire('a', long);
  let outcome: unknown;
  limit.acquire('a', { signal: never, waitMs: 20, rejection }).catch((error) => {
    outcome = error;
  });
  timers.advance(19);
  await turn();
  t.equal(outcome, undefined, 'not before');
  timers.advance(1);
  await turn();
  t.match(outcome, { message: 'rejected' });
  release();
  t.equal(limit.size, 0, 'the slot did not pass to it');
  (await limit.acquire('a', { signal: never, waitMs: 0 }))();
});

t.test('rejects a caller whose signal aborts with the reason, and removes it from the queue', async (t) => {
  const limit = new ConcurrencyLimit(1);
  const release = await limit.acquire('a', long);
  const abort = new AbortController();
  const aborted = limit.acquire('a', { signal: abort.signal, waitMs: 60_000 });
  const behind = limit.acquire('a', long);
  abort.abort(new Error('disconnected'));
  await t.rejects(aborted, { message: 'disconnected' });
  await t.rejects(limit.acquire('b', { signal: abort.signal, waitMs: 0 }), { message: 'disconnected' });
  release();
  (await behind)();
  t.equal(limit.size, 0);
});

t.test('origins that wait for a key take turns', async (t) => {
  const limit = new ConcurrencyLimit(1);
  const release = await limit.acquire('a', long);
  const granted: string[] = [];
  const queued = ['x', 'x', 'x', 'y', 'y', 'z'].map(async (origin) => {
    const next = await limit.acquire('a', { ...long, origin });
    granted.push(origin);
    next();
  });
  release();
  await Promise.all(queued);
  t.same(granted, ['x', 'y', 'z', 'x', 'y', 'x']);
  t.equal(limit.size, 0);
});

t.test('a full queue rejects the last caller of the origin with the most callers', async (t) => {
  const limit = new ConcurrencyLimit(1);
  const release = await limit.acquire('a', long);
  const rejected: string[] = [];
  const wait = async (name: string, origin: string) => {
    try {
      (await limit.acquire('a', { ...long, origin, maxWaiting: 3, rejection }))();
    } catch (error) {
      t.match(error, { message: 'rejected' });
      rejected.push(name);
    }
  };
  const queued = [wait('x1', 'x'), wait('x2', 'x'), wait('x3', 'x'), wait('x4', 'x')];
  await turn();
  t.same(rejected, ['x4']);
  queued.push(wait('y1', 'y'));
  await turn();
  t.same(rejected, ['x4', 'x3'], 'another origin takes the place');
  queued.push(wait('y2', 'y'));
  await turn();
  t.same(rejected, ['x4', 'x3', 'y2'], 'until it has as many');
  release();
  await Promise.all(queued);
  t.equal(rejected.length, 3);
  t.equal(limit.size, 0);
});

t.test('work with the same name runs one after the other, and does not delay other work', async (t) => {
  const limit = new ConcurrencyLimit(2);
  const first = await limit.acquire('a', { exclusive: 'x' });
  const granted: string[] = [];
  const queued = ['x', 'y'].map(async (exclusive) => {
    const release = await limit.acquire('a', { exclusive });
    granted.push(exclusive);
    return release;
  });
  await turn();
  t.same(granted, ['y']);
  t.ok(limit.isRunning('a', 'x'));
  first();
  await turn();
  t.same(granted, ['y', 'x']);
  t.ok(limit.isRunning('a', 'x'));
  for (const release of await Promise.all(queued)) release();
  t.notOk(limit.isRunning('a', 'x'));
  t.equal(limit.size, 0);
});
