import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import fastify from 'fastify';
import {
  defaultRequestQueueLimits,
  RequestQueue,
  type RequestQueueLimits,
} from '../../../src/platform/http/request-queue.js';
import { Problem } from '../../../src/platform/problems/problem.js';
import { createReportClient, refused } from '../../support/records/reports.js';
import { buildTestApp } from '../../support/server/app.js';
import { holdTimers } from '../../support/server/timers.js';
import t, { type Test } from '../../support/tap.js';
import { until } from '../../support/until.js';

/** A server with one route, whose requests the test completes. */
async function serve(t: Test, limits: RequestQueueLimits) {
  const queue = new RequestQueue(limits);
  const started: string[] = [];
  const finish: (() => void)[] = [];
  const app = fastify();
  app.setErrorHandler((error, _request, reply) => reply.code(error instanceof Problem ? 503 : 500).send());
  app.get<{ Params: { name: string } }>('/:name', ({ params: { name } }, reply) =>
    queue.run(reply.raw, async () => {
      started.push(name);
      await new Promise<void>((resolve) => finish.push(resolve));
      return name;
    }),
  );
  await app.listen();
  t.teardown(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const arrived = () => once(app.server, 'request') as Promise<[unknown, ServerResponse]>;
  /** Sends a request; resolves when it has arrived. */
  async function send(name: string) {
    const request = http.get({ port, path: `/${name}`, agent: false });
    request.on('error', () => {});
    const response = once(request, 'response').then(([{ statusCode }]) => statusCode as number);
    response.catch(() => {});
    const [, served] = await arrived();
    return { request, response, closed: once(served, 'close') };
  }
  return { send, started, finishNext: () => finish.shift()?.() };
}

t.test('handles concurrent requests up to the limit, in the order of arrival', async (t) => {
  const { send, started, finishNext } = await serve(t, { running: 2, waitMs: 60_000 });
  const sent = [];
  for (const name of ['a', 'b', 'c', 'd']) sent.push(await send(name));
  t.same(started, ['a', 'b']);
  for (const { response } of sent) {
    finishNext();
    t.equal(await response, 200);
  }
  t.same(started, ['a', 'b', 'c', 'd']);
});

t.test(
  'rejects a request that was queued too long, and completes the one that is being handled',
  async (t) => {
    const timers = holdTimers(t);
    const queue = new RequestQueue({ running: 1, waitMs: 100 });
    const started: string[] = [];
    let finish = () => {};
    const response = { destroyed: false } as ServerResponse;
    const run = (name: string) =>
      queue.run(response, async () => {
        started.push(name);
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return name;
      });
    const first = run('first');
    const outcomes: string[] = [];
    const queued = (name: string) =>
      run(name).catch((error) => outcomes.push(`${name}: ${error instanceof Problem && error.code}`));
    queued('second');
    timers.advance(60);
    queued('third');
    timers.advance(39);
    await turn();
    t.same(outcomes, [], 'not before');
    timers.advance(1);
    await turn();
    t.same(outcomes, ['second: service_unavailable']);
    timers.advance(59);
    await turn();
    t.equal(outcomes.length, 1, 'each request has its own time');
    timers.advance(1);
    await turn();
    t.same(outcomes, ['second: service_unavailable', 'third: service_unavailable']);
    finish();
    t.equal(await first, 'first');
    t.same(started, ['first']);
    const fourth = run('fourth');
    finish();
    t.equal(await fourth, 'fourth', 'the slot is free again');
  },
);

t.test('does not handle a request whose client disconnects while it is queued', async (t) => {
  const { send, started, finishNext } = await serve(t, { running: 1, waitMs: 60_000 });
  const first = await send('first');
  const second = await send('second');
  const third = await send('third');
  second.request.destroy();
  await second.closed;
  finishNext();
  t.equal(await first.response, 200);
  await until(() => started.length === 2);
  finishNext();
  t.equal(await third.response, 200);
  t.same(started, ['first', 'third']);
});

t.test('an overloaded server sends 503 with Retry-After and stays healthy', async (t) => {
  const api = await buildTestApp(t, { requestQueueLimits: { running: 0, waitMs: 30 } });
  const { token, create } = await createReportClient(api);
  const headers = { authorization: `Bearer ${token}` };
  const response = await api.app.inject({ url: '/v1/employees', headers });
  refused(t, response, 'service_unavailable');
  t.equal(response.headers['retry-after'], '1');
  t.equal(response.json().detail, 'The service is overloaded. Try again in a second.');
  for (const url of ['/healthz', '/readyz', '/.well-known/jwks.json']) {
    t.equal((await api.app.inject({ url })).statusCode, 200, url);
  }
  t.equal((await create({ title: 'uses a separate queue' })).statusCode, 201);
});

t.test('a burst beyond the limit is queued and not rejected', async (t) => {
  const api = await buildTestApp(t, { requestQueueLimits: { running: 2, waitMs: 60_000 } });
  const { token } = await createReportClient(api);
  const headers = { authorization: `Bearer ${token}` };
  const responses = await Promise.all(
    Array.from({ length: 40 }, () => api.app.inject({ url: '/v1/employees', headers })),
  );
  t.same(new Set(responses.map(({ statusCode }) => statusCode)), new Set([200]));
});

t.test('a server handles 100 requests at a time and queues others for a second', async (t) => {
  t.same(
    defaultRequestQueueLimits,
    { running: 100, waitMs: 1_000 },
    'as the contract and docs/operations.md state',
  );
});
