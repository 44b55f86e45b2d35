import { mock } from 'node:test';
import { type Counter, createMemoryCounter } from '../../../src/platform/limits/counter.js';
import { RequestLimit } from '../../../src/platform/limits/request-limit.js';
import t from '../../support/tap.js';

/** A counter that wraps another one and records its calls. */
function watch(counter: Counter) {
  const calls: [string, number][] = [];
  const add: Counter['add'] = (subject, points) => {
    calls.push([subject, points]);
    return counter.add(subject, points);
  };
  return { calls, counter: { add } };
}

const times = <Value>(number: number, make: () => Value) => Array.from({ length: number }, make);

t.test('requests that arrive together share one query, and each has its own count', async (t) => {
  const { calls, counter } = watch(createMemoryCounter());
  const limit = new RequestLimit(counter, 10);
  const both = [...times(3, () => limit.take('a')), ...times(2, () => limit.take('b'))];
  const standings = await Promise.all(both);
  t.same(calls, [
    ['a', 3],
    ['b', 2],
  ]);
  t.same(
    standings.map(({ remaining }) => remaining),
    [9, 8, 7, 9, 8],
  );
});

t.test('rejects a caller beyond the limit from memory until the window ends, and no other', async (t) => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  t.teardown(() => mock.timers.reset());
  const { calls, counter } = watch(createMemoryCounter());
  const limit = new RequestLimit(counter, 2);
  await limit.take('a');
  mock.timers.tick(20_000);
  const last = await limit.take('a');
  t.match(last, { granted: true, limit: 2, remaining: 0, resetSeconds: 40 });
  mock.timers.tick(39_001);
  const refused = await Promise.all(times(3, () => limit.take('a')));
  for (const standing of refused) t.match(standing, { granted: false, remaining: 0, resetSeconds: 1 });
  t.equal(calls.length, 2, 'rejections do not use the store');
  t.match(await limit.take('b'), { granted: true, remaining: 1 });
  mock.timers.tick(1000);
  t.match(await limit.take('a'), { granted: true, remaining: 1, resetSeconds: 60 });
});

t.test('a failed count rejects only its own callers', async (t) => {
  const working = createMemoryCounter();
  const add: Counter['add'] = async (subject, points) => {
    if (subject === 'broken') throw new Error('no count');
    return working.add(subject, points);
  };
  const limit = new RequestLimit({ add }, 5);
  const [good, ...bad] = await Promise.allSettled([
    limit.take('a'),
    limit.take('broken'),
    limit.take('broken'),
  ]);
  t.match(good, { status: 'fulfilled', value: { remaining: 4 } });
  for (const one of bad) t.match(one, { status: 'rejected', reason: { message: 'no count' } });
});
