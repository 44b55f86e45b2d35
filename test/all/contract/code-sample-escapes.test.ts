import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SampleRequest } from '../../../scripts/docs/samples/request.js';
import { type Sample, samplesOfRequest } from '../../../scripts/docs/samples/samples.js';
import { preparePrograms, skipLanguage } from '../../support/samples/programs.js';
import t from '../../support/tap.js';

interface Received {
  readonly method: string | undefined;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Texts that mean something else in one of the languages, unless they are escaped. */
const texts = [
  'single \' double " back ` triple """ \'\'\' ```',
  'backslash \\ two \\\\ before a quote \\" \\\' at the end \\',
  'text that looks like escapes: \\n \\u00e9 \\x41 \\0',
  'line\nline\r\nreturn\r tab\t',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a variable.
  '$HOME ${HOME} $(id) `id` $TOKEN $$ $1 !! ~ * ?',
  '#{1 + 1} #$0 #@name #\\{x}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a variable.
  '{name} {{name}} {0} ${name} %s %d %% %(name)s',
  'ä ß é 漢字 😀 \u2028 \u00a0 \u200d',
  '<b> & </script> <!-- // # /* */',
  '@file =value +plus &next ;end',
  '',
  ' ',
];

const value = {
  texts,
  'a "name" with \'quotes\', $HOME, #{1} and \\': 'text',
  naïve: true,
  default: false,
  nothing: null,
  numbers: [0, -1, 1.5, 1e21],
  empty: { array: [], object: {} },
  nested: [{ short: 'a' }, [['deep']]],
};

const named = texts.map((one, at) => [`field[${at}]`, [one]] as const);
const received: Received[] = [];
const server = http.createServer(async (request, response) => {
  const { method, url = '', headers } = request;
  received.push({ method, url, headers, body: await text(request) });
  response.end();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
t.teardown(() => server.close());
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const shared: Pick<SampleRequest, 'method' | 'url' | 'headers' | 'result'> = {
  method: 'POST',
  url: [`${base}/echo/`, { environment: 'ITEM_ID' }, '/parts'],
  headers: [['x-text', ['say "hi" \\ $HOME #{1} {x} ', { environment: 'TOKEN' }]]],
  result: { kind: 'status' },
};
const requests = {
  json: { ...shared, query: named, body: { kind: 'json', value } },
  form: { ...shared, query: [], body: { kind: 'form', fields: named } },
} as const;
const [json, form] = [samplesOfRequest(requests.json), samplesOfRequest(requests.form)];

for (const { label, source } of json) {
  t.test(`${label} sends hostile text unchanged`, { skip: skipLanguage(label) }, async (t) => {
    const sources = new Map([
      ['json', source],
      ['form', sourceIn(form, label)],
    ]);
    const programs = await preparePrograms(t, label, sources);
    const expected = Object.fromEntries(texts.map((one, at) => [`field[${at}]`, one]));
    const variables = { TOKEN: 'the-token', ITEM_ID: 'item1' };

    received.length = 0;
    const first = await programs.run('json', variables);
    t.match(first, { code: 0, stderr: '' });
    t.equal(received.length, 1);
    const [sent] = received;
    t.equal(sent?.method, 'POST');
    t.equal(sent?.headers['content-type'], 'application/json');
    t.equal(sent?.headers['x-text'], 'say "hi" \\ $HOME #{1} {x} the-token');
    const url = new URL(sent?.url ?? '', base);
    t.equal(url.pathname, '/echo/item1/parts');
    t.same(Object.fromEntries(url.searchParams), expected);
    t.same(JSON.parse(sent?.body ?? ''), value);

    received.length = 0;
    const second = await programs.run('form', variables);
    t.match(second, { code: 0, stderr: '' });
    t.match(received[0]?.headers['content-type'], /^application\/x-www-form-urlencoded/);
    t.same(Object.fromEntries(new URLSearchParams(received[0]?.body)), expected);
  });
}

function sourceIn(samples: readonly Sample[], label: Sample['label']): string {
  return samples.find((sample) => sample.label === label)?.source ?? '';
}
