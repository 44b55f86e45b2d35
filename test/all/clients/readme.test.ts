import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { fillDemoData } from '../../../src/features/demo-data/fill.js';
import { withoutTap } from '../../support/processes/plain-process.js';
import { buildTestApp } from '../../support/server/app.js';
import { listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';
import { generators } from './generators.js';
import { linkPackages, makeFolder, readPackage } from './packages.js';
import { blocksOf, readSection, rowsOf } from './readme.js';

const run = promisify(execFile);
const section = await readSection('Generate a client', 'docs/generators.md');
const blocks = blocksOf(section);
const installed = /^npm install (.*)\n/gm;
const api = await buildTestApp(t);
await fillDemoData(api.database, {
  baseUrl: api.config.baseUrl,
  hashPassword: async () => '!',
  now: api.clock(),
});
const baseUrl = `http://127.0.0.1:${await listen(api.app)}`;

t.test('docs/generators.md installs the versions that are tested', async (t) => {
  const packages = blocks.flatMap(({ text }) => packagesOf(text));
  t.ok(packages.length >= 4);
  for (const { name, version } of packages) t.equal(version, (await readPackage(name)).version, name);
});

t.test(
  'the commands and programs of docs/generators.md, run in order, list the employees of the demo data',
  async (t) => {
    const folder = await makeFolder(t);
    await linkPackages(
      folder,
      blocks.flatMap(({ text }) => packagesOf(text).map(({ name }) => name)),
    );
    const employees = await api.database.prisma.employee.findMany({
      where: { account: { name: 'Acme' } },
      orderBy: { id: 'asc' },
      take: 5,
    });
    const names = employees.map(({ firstName, lastName }) => `${firstName} ${lastName}\n`).join('');
    const said: string[] = [];
    for (const { language, text, file } of blocks) {
      const here = text.replaceAll('http://localhost:3000', baseUrl);
      if (language === 'ts') await writeFile(path.join(folder, file ?? ''), here);
      else said.push(await paste(folder, here));
    }
    t.equal(said.filter((text) => text.endsWith(names)).length, 2, said.join('\n'));
  },
);

t.test('the list of generators has every tested generator with its versions', async (t) => {
  const named = async (name: string) => `\`${name}\` ${(await readPackage(name)).version}`;
  const rows = generators.map(async ({ name, package: tool, runtime, document, language }) => [
    await named(tool),
    [
      ...(await Promise.all(runtime.map(named))),
      ...(language?.packages ?? []).map((name) => `\`${name}\``),
    ].join(', ') || 'nothing',
    document === 'v1.json' ? '3.1' : '3.0',
    language === undefined ? 'yes' : 'not compiled',
    'yes',
    `[\`${name}\`](${name}/${language?.args[0] ?? 'program.ts'})`,
  ]);
  t.same(rowsOf(await readSection('Tested', 'test/all/clients/README.md')), await Promise.all(rows));
});

/** Runs the commands of the document, except that the packages are installed already. */
async function paste(folder: string, text: string): Promise<string> {
  const script = text.replace('mkdir people-client && cd people-client && ', '').replaceAll(installed, '');
  const { stdout } = await run(...withoutTap('sh', ['-e', '-c', script]), {
    cwd: folder,
    // Without the environment of the test runner, and without network access.
    env: { PATH: process.env.PATH ?? '', HOME: folder, npm_config_offline: 'true' },
  });
  return stdout;
}

function packagesOf(text: string): { name: string; version: string }[] {
  return [...text.matchAll(installed)].flatMap(([, list = '']) =>
    list.split(' ').map((item) => {
      const at = item.lastIndexOf('@');
      return { name: item.slice(0, at), version: item.slice(at + 1) };
    }),
  );
}
