import { setImmediate as turn } from 'node:timers/promises';
import { createBatcher } from '../../../src/platform/database/batcher.js';
import t from '../../support/tap.js';

const oneCall = { maxBatchSize: 10, concurrency: 1 };

/** A batcher of a database whose responses the test controls. */
function slowDatabase(limits = oneCall) {
  const calls: { keys: readonly number[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const response = (keys: readonly number[]) =>
    new Promise<readonly (string | Error)[]>((resolve, reject) => {
      const finish = () => resolve(keys.map((key) => (key < 0 ? new Error(`no ${key}`) : `value ${key}`)));
      calls.push({ keys, finish, fail: reject });
    });
  const keysOfCalls = () => calls.map(({ keys }) => keys);
  return { calls, keysOfCalls, request: createBatcher(response, limits) };
}

t.test('loads keys that are requested together in one call, and returns each its own value', async (t) => {
  const { calls, keysOfCalls, request } = slowDatabase();
  const values = Promise.all([1, 2, 3].map(request));
  await turn();
  t.same(keysOfCalls(), [[1, 2, 3]]);
  calls[0]?.finish();
  t.same(await values, ['value 1', 'value 2', 'value 3']);
});

t.test('loads a single key at once, and collects keys only after a batch', async (t) => {
  const { calls, keysOfCalls, request } = slowDatabase({ maxBatchSize: 10, concurrency: 5 });
  const callsBeforeOthersCame = async (keys: readonly number[]) => {
    const others = turn();
    keys.forEach(request);
    await others;
    const { length } = calls;
    await turn();
    return length;
  };
  t.equal(await callsBeforeOthersCame([1]), 1);
  t.equal(await callsBeforeOthersCame([2]), 2);
  t.equal(await callsBeforeOthersCame([3, 4]), 3);
  t.equal(await callsBeforeOthersCame([5]), 3);
  t.equal(await callsBeforeOthersCame([6]), 5);
  t.same(keysOfCalls(), [[1], [2], [3, 4], [5], [6]]);
});

t.test('a key never gets the result of a call that started before it was requested', async (t) => {
  const { calls, request } = slowDatabase();
  const first = request(1);
  await turn();
  const second = Promise.all([request(1), request(2)]);
  await turn();
  t.equal(calls.length, 1, 'the second call waits for the first one');
  calls[0]?.finish();
  await first;
  await turn();
  t.same(calls[1]?.keys, [1, 2]);
  calls[1]?.finish();
  t.same(await second, ['value 1', 'value 2']);
});

t.test('limits the keys of a call and the concurrent calls', async (t) => {
  const { calls, keysOfCalls, request } = slowDatabase({ maxBatchSize: 2, concurrency: 2 });
  const values = Promise.all([1, 2, 3, 4, 5].map(request));
  await turn();
  t.same(keysOfCalls(), [
    [1, 2],
    [3, 4],
  ]);
  calls[1]?.finish();
  await turn();
  await turn();
  t.same(calls[2]?.keys, [5]);
  calls[0]?.finish();
  calls[2]?.finish();
  t.equal((await values).length, 5);
});

t.test('the error of one key rejects only its own caller', async (t) => {
  const { calls, request } = slowDatabase();
  const [good, bad] = [request(1), request(-1)];
  const refused = t.rejects(bad, { message: 'no -1' });
  await turn();
  calls[0]?.finish();
  t.equal(await good, 'value 1');
  await refused;
});

t.test('a call that fails does not prevent the next one', async (t) => {
  const { calls, request } = slowDatabase();
  const refused = t.rejects(request(1), { message: 'gone' });
  await turn();
  calls[0]?.fail(new Error('gone'));
  await refused;
  const next = request(2);
  await turn();
  calls[1]?.finish();
  t.equal(await next, 'value 2');
});

const refusal = Object.assign(new Error('a foreign key is violated'), { code: '23503' });

/** A batcher of a database that rejects every call with a negative key. */
function rejectingDatabase() {
  const calls: (readonly number[])[] = [];
  const response = async (keys: readonly number[]) => {
    calls.push(keys);
    if (keys.some((key) => key < 0)) throw refusal;
    return keys.map((key) => `value ${key}`);
  };
  return { calls, request: createBatcher(response, oneCall) };
}

t.test('each key of a rejected call is requested again, and only the invalid one fails', async (t) => {
  const { calls, request } = rejectingDatabase();
  const outcomes = await Promise.allSettled([1, -2, 3].map(request));
  t.match(outcomes, [{ value: 'value 1' }, { reason: refusal }, { value: 'value 3' }]);
  t.same(calls, [[1, -2, 3], [1], [-2], [3]]);
});

t.test('a rejected call for one key is not repeated', async (t) => {
  const { calls, request } = rejectingDatabase();
  await t.rejects(request(-1), refusal);
  t.same(calls, [[-1]]);
});

t.test('a call with an unknown outcome is not repeated', async (t) => {
  const codes = ['ECONNRESET', 'EPIPE', '08006', '57P01', '53300', '25006', '40003', 'P1001', 'none'];
  for (const code of codes) {
    const { calls, request } = slowDatabase();
    const both = Promise.allSettled([1, 2].map(request));
    await turn();
    calls[0]?.fail(Object.assign(new Error('Connection terminated unexpectedly'), { code }));
    t.match(await both, [{ status: 'rejected' }, { status: 'rejected' }], code);
    t.equal(calls.length, 1, code);
  }
});

t.test('calls for single keys are limited and do not delay a call for many', async (t) => {
  const { calls, keysOfCalls, request } = slowDatabase();
  const refused = Promise.all([1, 2, 3].map(request));
  await turn();
  calls[0]?.fail(refusal);
  await turn();
  t.same(keysOfCalls().slice(1), [[1], [2]]);
  const others = Promise.all([4, 5].map(request));
  await turn();
  t.same(calls[3]?.keys, [4, 5]);
  calls[3]?.finish();
  t.same(await others, ['value 4', 'value 5'], 'loaded while the first ones wait');
  calls[1]?.finish();
  await turn();
  t.same(calls[4]?.keys, [3]);
  for (const { finish } of calls) finish();
  t.same(await refused, ['value 1', 'value 2', 'value 3']);
});

t.test('a key with too little time left for its own call fails with the error of the batch', async (t) => {
  const { calls, request } = slowDatabase();
  let now = 0;
  t.intercept(performance, 'now', { value: () => now });
  const outcomes = Promise.allSettled([1, 2, 3].map(request));
  await turn();
  calls[0]?.fail(refusal);
  await turn();
  now += 10_001;
  calls[1]?.finish();
  calls[2]?.finish();
  t.match(await outcomes, [{ value: 'value 1' }, { value: 'value 2' }, { reason: refusal }]);
  t.equal(calls.length, 3);
});
