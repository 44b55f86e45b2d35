import { gunzipSync } from 'node:zlib';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const url = '/docs';
const plain = await api.injectUnchecked({ url });

/** An Accept-Encoding header, and whether it prefers gzip. */
const cases: [header: string, gzip: boolean][] = [
  ['', false],
  ['gzip', true],
  ['GZIP', true],
  ['gzip, deflate, br, zstd', true],
  ['*', true],
  ['deflate, gzip;q=0.5', true],
  ['gzip;q=0', false],
  ['gzip;q=0, *', false],
  ['gzip;q=0.5, identity', false],
  ['*;q=0', false],
  ['br', false],
  ['identity', false],
];

for (const [header, gzip] of cases) {
  t.test(`sends ${gzip ? 'gzip' : 'no encoding'} for Accept-Encoding: ${header}`, async (t) => {
    const response = await api.injectUnchecked({ url, headers: { 'accept-encoding': header } });
    t.equal(response.headers['content-encoding'], gzip ? 'gzip' : undefined);
    t.match(response.headers.vary, /accept-encoding/i);
    const body = gzip ? gunzipSync(response.rawPayload) : response.rawPayload;
    t.ok(body.equals(plain.rawPayload));
  });
}

t.test('sends no encoding without Accept-Encoding', async (t) => {
  t.equal(plain.headers['content-encoding'], undefined);
});
