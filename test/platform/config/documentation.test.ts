import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { variables } from '../../../src/platform/config/variables.js';
import { packageRoot } from '../../../src/platform/package-root.js';
import t from '../../support/tap.js';

const { withTable } = await import(path.join(packageRoot, 'scripts/configuration/table.mjs'));
const page = await readFile(path.join(packageRoot, 'docs/configuration.md'), 'utf8');

t.test('docs/configuration.md has the table that `npm run docs:configuration` writes', async (t) => {
  t.equal(page, withTable(page, variables));
});

t.test('the table has every variable with its default and valid values', async (t) => {
  for (const name of Object.keys(variables)) t.match(page, `\n| \`${name}\` | `);
  t.match(page, /^\| `PORT` \| a whole number from 0 to 65535 \| `3000` \| .*\. \|$/m);
  t.match(page, /^\| `TRUSTED_PROXIES` \| IP addresses .* \| unset \| .*\. \|$/m);
});
