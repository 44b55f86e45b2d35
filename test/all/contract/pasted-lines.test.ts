import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.js';
import { run, skipWithout } from '../../support/processes/command.js';
import { contract } from '../../support/server/app.js';
import { startDemoServer } from '../../support/server/demo-server.js';
import t from '../../support/tap.js';

const skip = skipWithout('bash') || skipWithout('curl');
const written = contract.document.servers[0].url;
const server = await startDemoServer(t);

const read = (file: string) => readFile(path.join(packageRoot, file), 'utf8');

/** The curl code blocks of a text, in order, without those that have a placeholder. */
function curlBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, lines = '']) => lines)
    .filter((lines) => lines.includes('curl ') && !/PASTE/.test(lines));
}

const { tags } = contract.document as unknown as { tags: { name: string; description: string }[] };
const description = tags.find(({ name }) => name === 'Getting started')?.description ?? '';
const texts = {
  'the getting-started chapter': description,
  'README.md': await read('README.md'),
  'docs/first-requests.md': await read('docs/first-requests.md'),
};

for (const [name, text] of Object.entries(texts)) {
  t.test(`the curl commands of ${name} work when run in order`, { skip }, async (t) => {
    const script = curlBlocks(text).join('\n').replaceAll(written, server.baseUrl);
    const lines = script.match(/\bcurl -/g)?.length ?? 0;
    t.ok(lines > 2);
    const before = server.exchanges.length;
    const { code, stderr } = await run('bash', ['-euo', 'pipefail', '-c', script]);
    t.equal(code, 0, stderr);
    t.equal(stderr, '');
    const sent = server.exchanges.slice(before);
    t.equal(sent.length, lines, 'each line sends its request');
    for (const { method, url, status } of sent) {
      // One command demonstrates an error with its trailing slash.
      t.equal(status < 400, url !== '/v1/employees/', `${method} ${url} has the status ${status}`);
    }
  });
}
