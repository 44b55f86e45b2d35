import { readFile } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { packageRoot } from '../../src/package-root.js';
import { run, skipWithout } from '../support/processes/command.js';
import { contract } from '../support/server/app.js';
import { startDemoServer } from '../support/server/demo-server.js';

const skip = skipWithout('bash') || skipWithout('curl');
const written = contract.document.servers[0].url;
const server = await startDemoServer(t);

/** The curl blocks of a text, in their order; one that waits for the reader to fill something in is left out. */
function curlBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, lines = '']) => lines)
    .filter((lines) => lines.includes('curl ') && !/PASTE/.test(lines));
}

const { tags } = contract.document as unknown as { tags: { name: string; description: string }[] };
const description = tags.find(({ name }) => name === 'Getting started')?.description ?? '';
const texts = {
  'the getting-started chapter': description,
  'the README': await readFile(path.join(packageRoot, 'README.md'), 'utf8'),
};

for (const [name, text] of Object.entries(texts)) {
  t.test(`the curl lines of ${name} work as pasted, one after the other`, { skip }, async (t) => {
    const blocks = curlBlocks(text);
    t.ok(blocks.length > 2);
    const before = server.exchanges.length;
    const script = blocks.join('\n').replaceAll(written, server.baseUrl);
    const { code, stderr } = await run('bash', ['-euo', 'pipefail', '-c', script]);
    t.equal(code, 0, stderr);
    t.equal(stderr, '');
    const sent = server.exchanges.slice(before);
    t.equal(sent.length, script.match(/\bcurl -/g)?.length, 'each line sends its request');
    for (const { method, url, status } of sent) {
      // One line shows an error: the trailing slash is there for that.
      t.equal(status < 400, url !== '/v1/employees/', `${method} ${url} is answered with ${status}`);
    }
  });
}
