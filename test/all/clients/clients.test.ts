import path from 'node:path';
import { run, skipWithout } from '../../support/processes/command.js';
import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';
import { compile } from './compile.js';
import type { Generator } from './generator.js';
import { generators } from './generators.js';
import { writeMistakes } from './mistakes.js';
import type { Outcome, Program } from './program.js';
import { generate, openWorkshop, twoAtATime } from './workshop.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const baseUrl = `http://127.0.0.1:${await listen(api.app)}`;
const available = generators.filter((generator) => !skipFor(generator));
const workshop = await openWorkshop(t, baseUrl, available);

t.test('every generator generates a client from the served contract', async (t) => {
  await twoAtATime(available, async (generator) => {
    const start = performance.now();
    await t.resolves(generate(workshop, generator), generator.name);
    t.comment(`${generator.name} took ${Math.round(performance.now() - start)} ms`);
  });
});

t.test('the compiler accepts the clients and their programs, and rejects mistakes in them', async (t) => {
  const inTypeScript = available.filter(({ language }) => language === undefined);
  const files = inTypeScript.map(({ name }) => `${name}/program.ts`);
  const copies = inTypeScript.map(({ name }) => `${name}/mistaken.ts`);
  const expected = await Promise.all(
    files.map((file, index) => writeMistakes(workshop, file, copies[index] ?? '')),
  );
  const errors = compile(workshop, [...files, ...copies]);
  t.same(
    errors.filter((error) => !copies.some((copy) => error.startsWith(copy))),
    [],
  );
  for (const { place, typed } of expected.flat()) {
    t.ok(
      errors.some((error) => error.startsWith(`${place} `)),
      `${place}: ${typed}`,
    );
  }
});

for (const generator of generators) {
  t.test(
    `a program that uses the client of ${generator.name} works`,
    { skip: skipFor(generator) },
    async (t) => {
      const { accountId, application, employeeIds } = await createTenant(api.database, {
        employees: makeEmployees(7),
      });

      const outcome = await runProgram(generator, { ...application, baseUrl });

      t.match(outcome.unauthenticated, { code: 'invalid_client', error: 'invalid_client' });
      t.same(outcome.pages, [employeeIds.slice(0, 3), employeeIds.slice(3, 6), employeeIds.slice(6)]);
      t.equal(outcome.title, 'Headcount');
      t.same(outcome.headcount, { Engineering: 1, Sales: 1 });
      t.equal(outcome.csv, 'department,count\nEngineering,1\nSales,1\n');
      t.match(outcome.missing, { status: 404, code: 'not_found', pointers: undefined });
      t.same(outcome.malformed, { status: 400, code: 'invalid_request', pointers: ['/filters/0/value'] });
      t.match(outcome.reportId, /./);
      t.equal(await api.database.prisma.report.count({ where: { accountId } }), 0, 'the report is deleted');
    },
  );
}

/** Why the generator is skipped on this machine; `false` where it runs. In CI it runs, or fails. */
function skipFor({ requirements = [] }: Generator): string | false {
  for (const { program, args } of requirements) {
    const skip = skipWithout(program, args);
    if (skip) return skip;
  }
  return false;
}

async function runProgram({ name, language }: Generator, settings: Parameters<Program>[0]): Promise<Outcome> {
  if (language === undefined) {
    const program = (await import(`${workshop}/out/${name}/program.js`)) as { run: Program };
    return program.run(settings);
  }
  const { code, stdout, stderr } = await run(language.program, [...language.args, JSON.stringify(settings)], {
    cwd: path.join(workshop, name),
    env: { PATH: process.env.PATH, ...language.environment },
  });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
