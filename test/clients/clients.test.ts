import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { buildTestApp } from '../support/app.js';
import { listen } from '../support/sockets.js';
import { createTenant, makeEmployees } from '../support/tenant.js';
import { compile } from './compile.js';
import { generators } from './generators.js';
import type { Program } from './program.js';
import { generate, openWorkshop, twoAtATime } from './workshop.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const baseUrl = `http://127.0.0.1:${await listen(api.app)}`;
const workshop = await openWorkshop(t, baseUrl, generators);

t.test('every generator makes a client of the contract as it is served', async (t) => {
  await twoAtATime(generators, async (generator) => {
    const start = performance.now();
    await t.resolves(generate(workshop, generator), generator.name);
    t.comment(`${generator.name} took ${Math.round(performance.now() - start)} ms`);
  });
});

t.test(
  'the clients, and programs that use them, compile under strict rules, and mistakes do not',
  async (t) => {
    const files = generators.map(({ name }) => `${name}/program.ts`);
    const mistaken = generators.map(({ name }) => `${name}/mistaken.ts`);
    await Promise.all(files.map((file, index) => misspell(file, mistaken[index] ?? '')));
    const objections = compile(workshop, [...files, ...mistaken]);
    const isExpected = (objection: string) => mistaken.some((file) => objection.startsWith(file));
    t.same(
      objections.filter((objection) => !isExpected(objection)),
      [],
    );
    for (const file of mistaken) {
      const found = objections.filter((objection) => objection.startsWith(file)).join('\n');
      t.match(found, /departement/, `${file}: the rows of a report are typed`);
      t.match(found, /kode/, `${file}: problem documents are typed`);
    }
  },
);

async function misspell(file: string, copy: string): Promise<void> {
  const text = await readFile(path.join(workshop, file), 'utf8');
  const wrong = text
    .replace('attributes.department', 'attributes.departement')
    .replace('{ status, code,', '{ status, kode,');
  await writeFile(path.join(workshop, copy), wrong);
}

for (const { name } of generators) {
  t.test(`a program with the client of ${name} works`, async (t) => {
    const { accountId, application, employeeIds } = await createTenant(api.database, {
      employees: makeEmployees(7),
    });
    const { run } = (await import(`${workshop}/out/${name}/program.js`)) as { run: Program };

    const outcome = await run({ ...application, baseUrl });

    t.match(outcome.unauthenticated, { code: 'invalid_client', error: 'invalid_client' });
    t.same(outcome.pages, [employeeIds.slice(0, 3), employeeIds.slice(3, 6), employeeIds.slice(6)]);
    t.same(outcome.headcount, { Engineering: 1, Sales: 1 });
    t.match(outcome.missing, { status: 404, code: 'not_found', pointers: undefined });
    t.same(outcome.impossible, { status: 400, code: 'invalid_request', pointers: ['/columns'] });
    t.match(outcome.reportId, /./);
    t.equal(await api.database.prisma.report.count({ where: { accountId } }), 0, 'the report is gone');
  });
}
