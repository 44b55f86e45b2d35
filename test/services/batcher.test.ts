import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { createBatcher } from '../../src/services/batcher.js';

/** A database that answers when it is told to. */
function slowAnswer() {
  const calls: { keys: readonly number[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const answer = (keys: readonly number[]) =>
    new Promise<readonly (string | Error)[]>((resolve, reject) => {
      const finish = () => resolve(keys.map((key) => (key < 0 ? new Error(`no ${key}`) : `value ${key}`)));
      calls.push({ keys, finish, fail: reject });
    });
  return { calls, answer };
}

t.test('keys that are asked for together are one call, and each gets its own value', async (t) => {
  const { calls, answer } = slowAnswer();
  const ask = createBatcher(answer, { maximum: 10, atOnce: 1 });
  const values = Promise.all([1, 2, 3].map(ask));
  await turn();
  t.same(
    calls.map(({ keys }) => keys),
    [[1, 2, 3]],
  );
  calls[0]?.finish();
  t.same(await values, ['value 1', 'value 2', 'value 3']);
});

t.test('a key is never answered by a call that began before it was asked for', async (t) => {
  const { calls, answer } = slowAnswer();
  const ask = createBatcher(answer, { maximum: 10, atOnce: 1 });
  const first = ask(1);
  await turn();
  const second = Promise.all([ask(1), ask(2)]);
  await turn();
  t.equal(calls.length, 1, 'the second call waits for the first to end');
  calls[0]?.finish();
  await first;
  await turn();
  t.same(calls[1]?.keys, [1, 2]);
  calls[1]?.finish();
  t.same(await second, ['value 1', 'value 2']);
});

t.test('no call has more keys than it may, and no more calls are under way than may be', async (t) => {
  const { calls, answer } = slowAnswer();
  const ask = createBatcher(answer, { maximum: 2, atOnce: 2 });
  const values = Promise.all([1, 2, 3, 4, 5].map(ask));
  await turn();
  t.same(
    calls.map(({ keys }) => keys),
    [
      [1, 2],
      [3, 4],
    ],
  );
  calls[1]?.finish();
  await turn();
  await turn();
  t.same(calls[2]?.keys, [5]);
  calls[0]?.finish();
  calls[2]?.finish();
  t.equal((await values).length, 5);
});

t.test('the fault of one key is thrown to the one who asked for it', async (t) => {
  const { calls, answer } = slowAnswer();
  const ask = createBatcher(answer, { maximum: 10, atOnce: 1 });
  const [good, bad] = [ask(1), ask(-1)];
  const refused = t.rejects(bad, { message: 'no -1' });
  await turn();
  calls[0]?.finish();
  t.equal(await good, 'value 1');
  await refused;
});

t.test('a call that fails does not keep the next one from being made', async (t) => {
  const { calls, answer } = slowAnswer();
  const ask = createBatcher(answer, { maximum: 10, atOnce: 1 });
  const refused = t.rejects(ask(1), { message: 'gone' });
  await turn();
  calls[0]?.fail(new Error('gone'));
  await refused;
  const next = ask(2);
  await turn();
  calls[1]?.finish();
  t.equal(await next, 'value 2');
});
