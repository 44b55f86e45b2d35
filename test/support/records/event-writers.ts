import { setTimeout as wait } from 'node:timers/promises';
import { insertEmployees } from '../../../src/features/employees/insert-employees.js';
import { lockAccount } from '../../../src/platform/changes/locks.js';
import { patienceMs } from '../patience.js';
import type { TestApp } from '../server/app.js';
import { sendJson } from './send-json.js';
import { makeEmployees, type Tenant } from './tenant.js';

/**
 * Changes employees and reports of an account with several concurrent writers, until each has made a number of changes or the
 * signal aborts. Returns the number of changes.
 */
export async function changeMuch(
  api: TestApp,
  options: { tenant: Tenant; token: string; writers: number; signal?: AbortSignal; changesOfWriter?: number },
): Promise<number> {
  const { tenant, token, writers, signal, changesOfWriter = Number.POSITIVE_INFINITY } = options;
  const counts = await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      let changes = 0;
      for (; changes < changesOfWriter && !signal?.aborted; changes += 1) {
        if (writer % 2 === 0) await changeEmployees(api, tenant, writer * 100_000 + changes);
        else await changeReport(api, token, changes);
      }
      return changes;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Adds, changes and deletes an employee in transactions that last for a random time. Every third one is rolled back. */
async function changeEmployees({ database: { prisma } }: TestApp, { accountId }: Tenant, number: number) {
  const [employee] = makeEmployees(1);
  if (employee === undefined) return;
  const undo = new Error('Rolled back');
  const run = prisma.$transaction(
    async (tx) => {
      await lockAccount(tx, accountId);
      const [id] = await insertEmployees(tx, accountId, [{ ...employee, employeeNumber: `N${number}` }]);
      await wait(Math.random() * 5);
      if (number % 3 === 1) throw undo;
      await tx.employee.updateMany({
        where: { accountId, employeeNumber: `N${number - 2}` },
        data: { status: 'left' },
      });
      if (number % 4 === 0) await tx.employee.deleteMany({ where: { accountId, id: id ?? '' } });
      await wait(Math.random() * 5);
    },
    { maxWait: patienceMs, timeout: patienceMs },
  );
  await run.catch((error) => {
    if (error !== undo) throw error;
  });
}

async function changeReport(api: TestApp, token: string, number: number): Promise<void> {
  const created = await sendJson(api, { url: '/v1/reports', token, body: { title: `Report ${number}` } });
  if (created.statusCode === 503) return;
  const url = `/v1/reports/${created.json().data.id}`;
  await sendJson(api, { method: 'PATCH', url, token, body: { title: 'Changed' } });
  if (number % 2 === 0) await sendJson(api, { method: 'DELETE', url, token });
}
