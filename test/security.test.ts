import { readdirSync, readFileSync } from 'node:fs';
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

/** Files that parse URLs which this server or its operator wrote, or which were checked before they were stored. */
const urlsOfOurs = [
  'base-url.ts',
  'cli/commands/webhooks.ts',
  'config/config.ts',
  'config/postgresql-hosts.ts',
  'config/value-types.ts',
  'contract/outside-text.ts',
  'database/postgresql/hosts/current-host.ts',
  'database/postgresql/hosts/find-read-write.ts',
  'http/mcp/routes.ts',
  'oauth/authorization/requesting-application.ts',
  'pages/applications/webhooks/endpoint-state.tsx',
  'pages/consent.tsx',
  'pages/return-to.ts',
  'pages/single-sign-on/message-page.tsx',
  'services/mail/mailer.ts',
  'services/second-factors/passkeys.ts',
  'services/single-sign-on/provider-client.ts',
  'services/single-sign-on/provider-fetch.ts',
  'services/webhooks/change-endpoint.ts',
  'services/webhooks/delivery/webhook-sender.ts',
  'services/webhooks/pause-notification.ts',
];

t.test('only one file normalizes text from outside and parses its URLs', async (t) => {
  const using = (pattern: RegExp) =>
    filesBelow(path.join(packageRoot, 'src'))
      .filter((file) => /\.tsx?$/.test(file) && pattern.test(readFileSync(file, 'utf8')))
      .map((file) => path.relative(path.join(packageRoot, 'src'), file));
  t.same(using(/\.normalize\(|domainTo(ASCII|Unicode)|localeCompare|Intl\.(Collator|Segmenter)/), [
    'contract/outside-text.ts',
    'demo-data/employees.ts',
  ]);
  t.same(using(/\bnew URL\(|\bURL\.(canParse|parse)\(/), urlsOfOurs);
});

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}
