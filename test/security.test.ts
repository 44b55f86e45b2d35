import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../src/package-root.js';
import t from './support/tap.js';

const read = (file: string) => readFileSync(path.join(packageRoot, file), 'utf8');
const security = read('SECURITY.md');

t.test('every threat in SECURITY.md names a test that exists', async (t) => {
  const rows = [...security.matchAll(/^\|.*\| `(test\/[^`]+)`: (.+) \|$/gm)];
  t.ok(rows.length > 20, 'the table is read');
  for (const [, file = '', title = ''] of rows) t.ok(read(file).includes(title), `${file}: ${title}`);
});

t.test('every dependency has its purpose in SECURITY.md, and no other is listed', async (t) => {
  const section = security.slice(security.indexOf('## Dependencies'));
  const listed = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  t.same(listed, Object.keys(dependencies));
  for (const [name, version] of Object.entries(dependencies)) {
    t.match(version, /^\d+\.\d+\.\d+(-[\w.-]+)?$/, `${name} has an exact version`);
  }
});

interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** Development dependencies and optional peers. */
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
}

t.test(
  'every package is locked by its hash, and no production dependency has an install script',
  async (t) => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
    const { '': _root, ...installed } = packages;
    const names = Object.entries(installed);
    t.same(
      names.filter(([, { integrity }]) => integrity === undefined).map(([name]) => name),
      [],
    );
    t.same(
      names
        .filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional)
        .filter(([, { hasInstallScript }]) => hasInstallScript)
        .map(([name]) => name),
      [],
    );
  },
);
