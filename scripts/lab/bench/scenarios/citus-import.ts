import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hasCitus, startCitus } from '../../../../test/support/cluster/citus.js';
import { createDistributedDatabase } from '../../kit/database/citus.js';
import type { Database } from '../../kit/database/postgresql.js';
import { fillTenants, tenant } from '../../kit/database/tenants.js';
import { runCommand } from '../../kit/server/command.js';
import { median, ratios } from '../../kit/statistics.js';
import { bar } from '../bars.js';
import type { Context, Finding, Scenario } from '../context.js';
import { sizes } from '../databases.js';

/** Number of employees of one import. */
const count = 100_000;

/** Imports into Citus with two workers, compared with one server. */
export const citusImportScenario: readonly Scenario[] = hasCitus
  ? [
      {
        name: 'import-citus',
        title: `Import ${count} employees into Citus with two workers and into one server (npm run cli -- employees import)`,
        run,
      },
    ]
  : [];

async function run({ options, database, progress }: Context): Promise<Finding> {
  const cluster = await startCitus({ shared_buffers: '128MB' });
  const directory = mkdtempSync(path.join(os.tmpdir(), 'people-api-import-'));
  try {
    const citus = await createDistributedDatabase(cluster, 'bench', fillTenants(sizes.tenants));
    const seconds = new Map<Database, number[]>([
      [citus, []],
      [await database('tenants'), []],
    ]);
    for (let round = 0; round < options.rounds; round += 1) {
      for (const [into, found] of seconds) {
        // Each round imports new employees into another account.
        const file = path.join(directory, `${round}.jsonl`);
        writeFileSync(file, records(round));
        const startedAt = performance.now();
        runCommand(['employees', 'import', file, '--account', tenant(round + 1).accountId], into.url);
        found.push((performance.now() - startedAt) / 1000);
      }
      progress(`round ${round + 1} of ${options.rounds}`);
    }
    const [ofCitus, ofOne] = [...seconds.values()].map((found) => found.map((each) => count / each));
    return {
      table: {
        columns: ['', 'employees/s'],
        rows: [
          ['Citus, two workers', Math.round(median(ofCitus)).toString()],
          ['one server', Math.round(median(ofOne)).toString()],
        ],
      },
      bars: [
        bar('Citus, two workers ÷ one server: employees per second', ratios(ofCitus, ofOne), {
          atLeast: 0.6,
        }),
      ],
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
    await cluster.close();
  }
}

function records(round: number): string {
  const record = (_: unknown, index: number) => {
    const number = `I${round}-${String(index).padStart(6, '0')}`;
    const name = { employee_number: number, first_name: 'Ada', last_name: `Number ${index}` };
    const rest = { email: `${number}@bench.example`, status: 'active', department: `Team ${index % 12}` };
    return `${JSON.stringify({ ...name, ...rest })}\n`;
  };
  return Array.from({ length: count }, record).join('');
}
