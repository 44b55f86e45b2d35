import { setTimeout as wait } from 'node:timers/promises';
import { query } from '../../kit/database/postgresql.js';
import { createRandom, type Random } from '../../kit/random.js';
import { withAccounts } from '../accounts.js';
import type { Trial, Verdict } from '../verdict.js';
import type { CheckingClient, EmployeeResource } from './clients/checking-client.js';
import { EmployeeReader } from './clients/employee-reader.js';
import { GrantClient } from './clients/grant-client.js';
import { ProfileWriter } from './clients/profile-writer.js';
import { ReportWriter } from './clients/report-writer.js';
import { TokenClient } from './clients/token-client.js';
import { checkEnd } from './end.js';
import { Faults } from './faults.js';
import { Fleet } from './fleet.js';
import { runMalformedClients } from './malformed-clients.js';
import { sampleMemory } from './memory.js';

const accountCount = 6;

/** Load as a fraction of the capacity of the servers. */
const loadFactor = 0.8;

/** Milliseconds of a period with faults, and of the period without faults after it. */
const stormMs = 40_000;
const quietMs = 20_000;

/** The clients of an account. Reports and profiles have one writer each, which knows their state. */
const kinds = [EmployeeReader, EmployeeReader, ReportWriter, ProfileWriter, TokenClient, GrantClient];

interface Scene {
  readonly fleet: Fleet;
  readonly clients: readonly CheckingClient[];
  readonly stop: () => void;
  readonly random: Random;
  readonly verdict: Verdict;
  readonly url: string;
}

/** Mixed load on two processes for a long time, with faults; responses are compared with a model. */
export const trial: Trial = ({ short, minutes, seed, verdict }) => {
  const random = createRandom(seed);
  return withAccounts({ name: 'soak', accounts: accountCount, employees: 120 }, async ({ url, accounts }) => {
    const fleet = await Fleet.start({ databaseUrl: url, size: 2, verdict, random });
    try {
      const employees = await readEmployees(url);
      const revoked: string[] = [];
      let stopping = false;
      const shared = { fleet, verdict, random, revoked, stopped: () => stopping };
      const clients = accounts.flatMap((account) =>
        kinds.map(
          (Client) => new Client({ ...shared, account, employees: employees.get(account.accountId) ?? [] }),
        ),
      );
      const stop = () => {
        stopping = true;
      };
      await run({ fleet, clients, stop, random, verdict, url }, { short, milliseconds: minutes * 60_000 });
      await checkEnd({ clients, revoked, fleet, verdict, url });
    } finally {
      await fleet.stop();
    }
  });
};

async function run(
  { fleet, clients, stop, random, verdict, url }: Scene,
  { short, milliseconds }: { short: boolean; milliseconds: number },
): Promise<void> {
  const running = Promise.all(clients.map((client) => client.run()));
  await wait(short ? 1_500 : 10_000);
  const capacity = await measureRate(fleet, short ? 1_000 : 10_000);
  fleet.limitRate(capacity * loadFactor);
  const memory = sampleMemory(fleet.servers[0].pid);
  const faults = new Faults({ fleet, random, databaseUrl: url });
  await faults.open();
  const before = fleet.responses;
  const endsAt = Date.now() + milliseconds;
  const malformed = runMalformedClients({ fleet, random, stopped: () => Date.now() >= endsAt });
  while (Date.now() < endsAt) {
    const stormEndsAt = Math.min(Date.now() + stormMs, endsAt);
    await faults.run(() => Date.now() >= stormEndsAt);
    await wait(Math.max(0, Math.min(quietMs, endsAt - Date.now())));
  }
  const responses = fleet.responses - before;
  stop();
  await running;
  const { warm, end } = memory.stop();
  await faults.close();

  verdict.note(
    `capacity ${Math.round(capacity)}/s without faults; load ${Math.round(capacity * loadFactor)}/s`,
  );
  verdict.note(
    `${responses} responses with faults (${Math.round((responses / milliseconds) * 1000)}/s), ${fleet.uncertain} requests without one or with 503`,
  );
  const counts = [...faults.counts].map(([kind, count]) => `${kind} ${count}`);
  verdict.note(`faults: ${counts.join(', ')}; malformed or slow connections ${await malformed}`);
  // A short run ends before the heap has reached its size.
  const bound = warm * 1.25 + (short ? 128 : 48);
  verdict.check(
    `memory ${warm.toFixed(0)} MiB when warm, ${end.toFixed(0)} MiB at the end; at most ${bound.toFixed(0)}`,
    end <= bound,
  );
}

async function measureRate(fleet: Fleet, milliseconds: number): Promise<number> {
  const before = fleet.responses;
  await wait(milliseconds);
  return ((fleet.responses - before) * 1000) / milliseconds;
}

/** The expected employees, by account. */
async function readEmployees(url: string): Promise<Map<string, EmployeeResource[]>> {
  const rows = await query(url, 'SELECT * FROM employees ORDER BY account_id, position');
  const employees = new Map<string, EmployeeResource[]>();
  for (const row of rows) {
    const { id, account_id, employee_number, first_name, last_name, email, status, department } = row;
    const updated_at = row.updated_at.toISOString();
    const given = { employee_number, first_name, last_name, email, status, department };
    // The employees of the trial do not have these.
    const absent = {
      job_title: null,
      location: null,
      hire_date: null,
      termination_date: null,
      manager_id: null,
    };
    const attributes = { ...given, ...absent, updated_at };
    const list = employees.get(account_id) ?? [];
    list.push({ id, type: 'employees', attributes });
    employees.set(account_id, list);
  }
  return employees;
}
