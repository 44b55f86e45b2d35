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

t.test('If-Match guards changes and deletions', async (t) => {
  const { create, send } = await createReportClient(api);
  const created = await create({ title: 'x' });
  const url = `/v1/reports/${created.json().data.id}`;
  const etag = String(created.headers.etag);
  const withEnd = (end: string) => etag.replace(/"$/, `${end}"`);
  const stale = [
    ...['"nothing"', 'W/"nothing"', '"a", "b"', withEnd('0'), `W/${withEnd('0-gzip')}`],
    ...['-', '-other', 'gzip', '-gzip-gzip', '-gzip0', '.0-gzip', ',gzip'].map(withEnd),
  ];
  for (const method of ['PATCH', 'DELETE'] as const) {
    const body = method === 'PATCH' ? { title: 'y' } : undefined;
    for (const tags of method === 'PATCH' ? stale : stale.slice(0, 2)) {
      const response = await send(method, url, body, { 'if-match': tags });
      t.equal(response.statusCode, 412, `${method} ${tags}`);
      refused(t, response, 'precondition_failed');
    }
    for (const malformed of ['nothing', '"', '', '*,"a"', '"a" "b"']) {
      const response = await send(method, url, body, { 'if-match': malformed });
      t.equal(response.statusCode, 400, `${method} ${malformed}`);
      t.equal(response.json().errors[0].header, 'if-match');
    }
  }
  t.equal((await send('GET', url)).headers.etag, etag);
  t.equal((await send('PATCH', url, { title: 'y' }, { 'if-match': `"other",${etag}` })).statusCode, 200);
  t.equal((await send('PATCH', url, { title: 'z' }, { 'if-match': etag })).statusCode, 412);
  t.equal((await send('PATCH', url, { title: 'z' }, { 'if-match': '*' })).statusCode, 200);
  t.equal((await send('PATCH', '/v1/reports/unknown', { title: 'z' }, { 'if-match': '*' })).statusCode, 404);
  const { etag: current } = (await send('GET', url)).headers;
  t.equal((await send('DELETE', url, undefined, { 'if-match': String(current) })).statusCode, 204);
});

t.test('a tag that a compressing proxy has changed matches its version, and no other', async (t) => {
  const { create, send } = await createReportClient(api);
  const created = await create({ title: 'x' });
  const url = `/v1/reports/${created.json().data.id}`;
  const changed = [
    (etag: string) => `W/${etag}`,
    ...['-gzip', ';gzip', '--gzip', '-br', '-zstd', '-deflate'].map(
      (end) => (etag: string) => etag.replace(/"$/, `${end}"`),
    ),
    (etag: string) => `"other", W/${etag.replace(/"$/, '-gzip"')}`,
  ];
  let etag = String(created.headers.etag);
  for (const change of changed) {
    const tag = change(etag);
    t.equal((await send('GET', url, undefined, { 'if-none-match': tag })).statusCode, 304, tag);
    const updated = await send('PATCH', url, { title: tag }, { 'if-match': tag });
    t.equal(updated.statusCode, 200, tag);
    t.equal((await send('PATCH', url, { title: 'y' }, { 'if-match': tag })).statusCode, 412, `later: ${tag}`);
    t.equal((await send('GET', url, undefined, { 'if-none-match': tag })).statusCode, 200, `later: ${tag}`);
    etag = String(updated.headers.etag);
  }
  t.equal((await send('DELETE', url, undefined, { 'if-match': `W/${etag}` })).statusCode, 204);
});
