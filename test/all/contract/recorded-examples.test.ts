import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { contractFile } from '../../../src/platform/contract/contract.js';
import { packageRoot } from '../../../src/platform/package-root.js';
import t from '../../support/tap.js';

interface RecordedValue {
  /** Keys that lead to the value in the contract. */
  readonly path: readonly string[];
  readonly value: unknown;
}

type Tree = { [key: string]: Tree };

const scripts = path.join(packageRoot, 'scripts', 'examples');
const { recordExamples } = await import(path.join(scripts, 'record.mjs'));
const { checkUse } = await import(path.join(scripts, 'checks.mjs'));
const { replaceValues } = await import(path.join(scripts, 'write.mjs'));

const text = readFileSync(contractFile, 'utf8');
const readContract = () => parse(text) as Tree;
const at = (tree: Tree, keys: readonly string[]) => keys.reduce<Tree>((node, key) => node[key] ?? {}, tree);
const examplesOf = (document: Tree) => at(document, ['components', 'examples']);

t.test('the examples of the contract equal the responses of the server', async (t) => {
  const document = readContract();
  const values: readonly RecordedValue[] = await recordExamples(document);
  for (const { path: keys, value } of values) t.strictSame(value, at(document, keys), keys.join('/'));
  const written = replaceValues(text, values);
  t.ok(written === text, 'npm run examples:record has no changes');
});

t.test('rejects an example that no recording creates, and names it', async (t) => {
  const document = readContract();
  examplesOf(document).UnrecordedResponseExample = { value: {} };
  await t.rejects(recordExamples(document), /no entry for the example UnrecordedResponseExample/);
});

t.test('rejects an entry whose example is not in the contract, and names it', async (t) => {
  const document = readContract();
  const remaining = Object.entries(examplesOf(document)).filter(([name]) => name !== 'UserResponseExample');
  at(document, ['components']).examples = Object.fromEntries(remaining);
  at(document, ['paths'])['/v1/users/me'] = {};
  await t.rejects(recordExamples(document), /an entry for UserResponseExample/);
});

t.test('rejects a response for which the contract does not use the example', async (t) => {
  const use = { request: false, responses: [{ status: 404, mediaType: 'application/problem+json' }] };
  const response = { status: 404, mediaType: 'application/problem+json', body: {} };
  const check = (change: object) => () => checkUse('Missing', use, { ...response, ...change });
  t.doesNotThrow(check({}));
  t.throws(
    check({ status: 400 }),
    /example Missing for 404 application\/problem\+json, but its entry received 400/,
  );
  t.throws(check({ mediaType: 'text/html' }), /received 404 text\/html/);
  t.throws(
    () => checkUse('Unused', { request: false, responses: [] }, response),
    /does not use the example Unused/,
  );
});

t.test('rejects a request example that the server rejects', async (t) => {
  const use = { request: true, responses: [] };
  t.throws(
    () => checkUse('Create', use, { status: 400, mediaType: '', body: {} }),
    /request example Create: 400/,
  );
});

t.test('writing a value changes nothing else of the contract', async (t) => {
  const before = [
    'components: # kept',
    '  examples:',
    '    One:',
    "      summary:   'kept as it is'",
    '      value:',
    '        a: [x,y]',
    '',
    '    # kept',
    '    Two: { value: 1 }',
    '',
  ].join('\n');
  const keys = (name: string) => ['components', 'examples', name, 'value'];
  const after = replaceValues(before, [
    { path: keys('Two'), value: 2 },
    { path: keys('One'), value: { sort: ['-count', 'x'], at: '2026-02-03', rows: [{ b: null }] } },
  ]);
  t.equal(
    after,
    before
      .replace('value: 1', 'value: 2')
      .replace(
        'a: [x,y]',
        "sort: ['-count', x]\n        at: '2026-02-03'\n        rows:\n          - b: null",
      ),
  );
});
