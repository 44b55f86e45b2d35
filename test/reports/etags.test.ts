import { createReportClient, refused } from '../support/records/reports.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

t.test('If-Match rejects the ETag of another report that has the same version', async (t) => {
  const { create, send } = await createReportClient(api);
  const [one, other] = [await create({ title: 'one' }), await create({ title: 'other' })];
  const url = `/v1/reports/${one.json().data.id}`;
  t.not(one.headers.etag, other.headers.etag);
  const stranger = { 'if-match': String(other.headers.etag) };
  refused(t, await send('PATCH', url, { title: 'x' }, stranger), 'precondition_failed');
  refused(t, await send('DELETE', url, undefined, stranger), 'precondition_failed');
  t.equal((await send('GET', url)).json().data.attributes.title, 'one');
});

t.test('If-None-Match with the current ETag gets 304 without a body', async (t) => {
  const { create, send } = await createReportClient(api);
  const created = await create({ title: 'x' });
  const url = `/v1/reports/${created.json().data.id}`;
  const etag = String(created.headers.etag);
  for (const method of ['GET', 'HEAD'] as const) {
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await send(method, url, undefined, { 'if-none-match': tags });
      t.equal(response.statusCode, 304, `${method} ${tags}`);
      t.equal(response.body, '');
      t.equal(response.headers.etag, etag);
    }
  }
});

t.test('If-None-Match with another ETag gets the report', async (t) => {
  const { create, send } = await createReportClient(api);
  const created = await create({ title: 'x' });
  const other = await create({ title: 'other' });
  const url = `/v1/reports/${created.json().data.id}`;
  const etag = String(created.headers.etag);
  t.equal((await send('PATCH', url, { title: 'y' })).statusCode, 200);
  for (const tags of [etag, String(other.headers.etag), '"nothing"']) {
    const response = await send('GET', url, undefined, { 'if-none-match': tags });
    t.equal(response.statusCode, 200, tags);
    t.equal(response.json().data.attributes.title, 'y');
  }
  const malformed = await send('GET', url, undefined, { 'if-none-match': 'nothing' });
  refused(t, malformed, 'invalid_request');
  t.equal(malformed.json().errors[0].header, 'if-none-match');
});

t.test('If-None-Match does not reveal whether another account has the report', async (t) => {
  const { create } = await createReportClient(api);
  const stranger = await createReportClient(api);
  const url = `/v1/reports/${(await create({ title: 'x' })).json().data.id}`;
  refused(t, await stranger.send('GET', url, undefined, { 'if-none-match': '*' }), 'not_found');
});
