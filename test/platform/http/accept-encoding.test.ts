import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const api = await buildTestApp(t);
const url = '/docs';
const plain = await api.injectUnchecked({ url });

const decoders: Record<string, (body: Buffer) => Buffer> = {
  br: (body) => brotliDecompressSync(body),
  gzip: (body) => gunzipSync(body),
};

/** An Accept-Encoding header, and the encoding that it gets. */
const cases: [header: string, encoding: 'br' | 'gzip' | undefined][] = [
  ['', undefined],
  [',', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0, gzip;q=0.1', 'gzip'],
  ['br;q=0.0, gzip;q=0.000', undefined],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0, gzip;q=0, *', undefined],
  ['deflate, gzip;q=0.5', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.5, identity', undefined],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['gzip, identity;q=0', 'gzip'],
  ['*;q=0, br', 'br'],
  ['identity', undefined],
  ['zstd', undefined],
  ['br;q=x', undefined],
  // These exclude every encoding, and are ignored.
  ['*;q=0', undefined],
  ['identity;q=0', undefined],
  ['identity;q=0, br;q=0', undefined],
  ['deflate, identity;q=0', undefined],
];

for (const [header, encoding] of cases) {
  t.test(`sends ${encoding ?? 'no encoding'} for Accept-Encoding: ${header}`, async (t) => {
    const response = await api.injectUnchecked({ url, headers: { 'accept-encoding': header } });
    t.equal(response.headers['content-encoding'], encoding);
    t.equal(response.headers.vary, 'accept-encoding');
    const decode = decoders[encoding ?? ''] ?? ((body) => body);
    t.ok(decode(response.rawPayload).equals(plain.rawPayload));
  });
}

t.test('sends no encoding without Accept-Encoding', async (t) => {
  t.equal(plain.headers['content-encoding'], undefined);
});
