import type { ApiCall } from '../../src/features/usage/identify-applications.js';
import { RecentRejections } from '../../src/features/usage/recent-rejections.js';
import { UsageCounts } from '../../src/features/usage/usage-counts.js';
import t from '../support/tap.js';

const call = (applicationId: string, changes: Partial<ApiCall> = {}): ApiCall => ({
  accountId: 'account',
  applicationId,
  userId: null,
  operation: 'listEmployees',
  status: 200,
  records: 50,
  requestId: 'request',
  code: null,
  ...changes,
});

t.test('adds up calls of the same application, user, operation and hour, and no others', async (t) => {
  const counts = new UsageCounts(100);
  const calls = [
    call('a'),
    call('b'),
    call('a', { userId: 'u' }),
    call('a', { operation: 'getEmployee', records: 1 }),
    // A client is no application, even if its id is the same.
    call('a', { applicationId: undefined, clientId: 'a', status: 401, records: 0 }),
  ];
  for (const at of [0, 3_599_999, 3_600_000]) for (const one of calls) counts.add(one, at);
  t.equal(counts.size, 10);
  const taken = counts.takeAll();
  t.match(taken[0], { applicationId: 'a', userId: '', hour: 0, calls: 2, errors: 0, records: 100 });
  t.match(taken[4], { clientId: 'a', calls: 2, errors: 2, rateLimited: 0, records: 0 });
  t.match(taken[5], { applicationId: 'a', hour: 3_600_000, calls: 1, records: 50 });
  t.equal(counts.size, 0);
});

t.test('counts a call without a response as a call', async (t) => {
  const counts = new UsageCounts(100);
  counts.add(call('a', { status: undefined, records: 0 }), 0);
  t.match(counts.takeAll(), [{ calls: 1, errors: 0, rateLimited: 0, records: 0 }]);
});

t.test('merges counts that are put back with the newer ones', async (t) => {
  const counts = new UsageCounts(100);
  counts.add(call('a'), 0);
  counts.add(call('b', { status: 500, records: 0 }), 0);
  const taken = counts.takeAll();
  counts.add(call('b', { status: 429, records: 0 }), 0);
  counts.add(call('c'), 0);
  counts.putBack(taken);
  t.match(counts.takeAll(), [
    { applicationId: 'a', calls: 1, errors: 0, rateLimited: 0, records: 50 },
    { applicationId: 'b', calls: 2, errors: 1, rateLimited: 1, records: 0 },
    { applicationId: 'c', calls: 1, errors: 0, rateLimited: 0, records: 50 },
  ]);
});

t.test('drops the oldest counts beyond its size, and reports their number of calls', async (t) => {
  const counts = new UsageCounts(3);
  for (const application of ['a', 'a', 'b', 'c']) counts.add(call(application), 0);
  const taken = counts.takeAll();
  t.equal(counts.takeDropped(), 0);
  for (const application of ['d', 'e']) counts.add(call(application), 3_600_000);
  counts.putBack(taken);
  t.same(
    counts.takeAll().map(({ applicationId }) => applicationId),
    ['c', 'd', 'e'],
  );
  t.equal(counts.takeDropped(), 3);
  t.equal(counts.takeDropped(), 0, 'once');
});

t.test(
  'keeps at most twenty rejections of an application, and a limited number of applications',
  async (t) => {
    const rejections = new RecentRejections(2);
    rejections.add(call('a'), 0);
    rejections.add(call('a', { status: undefined }), 0);
    t.same(rejections.takeAll(), [], 'only calls with a status of 400 or more');
    for (const application of ['a', 'b', 'c']) {
      for (let at = 0; at < 25; at += 1) rejections.add(call(application, { status: 404 }), at);
    }
    const taken = rejections.takeAll();
    t.same(
      taken.map(({ applicationId, at }) => `${applicationId} ${at}`),
      ['b', 'c'].flatMap((application) =>
        Array.from({ length: 20 }, (_, index) => `${application} ${index + 5}`),
      ),
    );
    rejections.add(call('c', { status: 404 }), 25);
    rejections.putBack(taken);
    const kept = rejections.takeAll();
    t.equal(kept.length, 40);
    t.equal(kept.at(-1)?.at, 25);
  },
);
