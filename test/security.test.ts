import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../src/platform/package-root.js';
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

/** Files that parse URLs which this server or its operator wrote, or which were checked before they were stored. */
const urlsOfOurs = [
  'features/mcp/routes.ts',
  'features/second-factors/passkeys.ts',
  'features/single-sign-on/pages/message-page.tsx',
  'features/single-sign-on/provider-client.ts',
  'features/single-sign-on/provider-fetch.ts',
  'features/webhooks/delivery/webhook-sender.ts',
  'features/webhooks/pause-notification.ts',
  'features/webhooks/webhook-endpoint.ts',
  'oauth/consent/consent.tsx',
  'oauth/consent/interrupted-request.ts',
  'oauth/consent/repeated-sign-in.ts',
  'oauth/logout/logout-worker.ts',
  'platform/config/base-url.ts',
  'platform/config/config.ts',
  'platform/config/postgresql-hosts.ts',
  'platform/config/value-types.ts',
  'platform/contract/outside-text.ts',
  'platform/database/postgresql/current-host.ts',
  'platform/mail/mailer.tsx',
  'platform/pages/paths.ts',
];

t.test('only one file normalizes text from outside and parses its URLs', async (t) => {
  const using = (pattern: RegExp) =>
    filesBelow(path.join(packageRoot, 'src'))
      .filter((file) => /\.tsx?$/.test(file) && pattern.test(readFileSync(file, 'utf8')))
      .map((file) => path.relative(path.join(packageRoot, 'src'), file));
  t.same(using(/\.normalize\(|domainTo(ASCII|Unicode)|localeCompare|Intl\.(Collator|Segmenter)/), [
    'features/demo-data/fill.ts',
    'platform/contract/outside-text.ts',
  ]);
  t.same(using(/\bnew URL\(|\bURL\.(canParse|parse)\(/), urlsOfOurs);
});

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}
