import { PostgresqlServer } from '../kit/database/postgresql.js';
import { startGenerator } from '../kit/load/generator.js';
import { markdown } from '../kit/table.js';
import type { Scenario } from './context.js';
import { databases } from './databases.js';
import { type Options, readOptions } from './options.js';
import { compareWithRecorded } from './report/recorded.js';
import { describeRun, type NamedFinding, writeResults } from './report/results.js';
import { barTable } from './report/tables.js';
import { scenarios } from './scenarios/index.js';

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).stack}\n`);
  process.exitCode = 1;
}

/** @returns exit code: 0 when every bound was met, and with `--recorded` */
async function main(args: string[]): Promise<number> {
  const options = readOptions(
    args,
    scenarios.map(({ name }) => name),
  );
  if (typeof options === 'string') {
    process.stdout.write(options);
    return 0;
  }
  const chosen = scenarios.filter(({ name }) => options.scenarios.includes(name));
  return measure(options, chosen, args);
}

async function measure(options: Options, chosen: readonly Scenario[], args: string[]): Promise<number> {
  const server = await PostgresqlServer.open(options.databaseUrl, options);
  const generator = startGenerator();
  const cleanUp = async () => {
    await generator.stop();
    await server.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => cleanUp().finally(() => process.exit(130)));
  const context = { options, server, generator, progress, database: databases(server, progress) };
  const run = describeRun({ args, options, server });
  const findings: NamedFinding[] = [];
  try {
    for (const scenario of chosen) {
      progress(scenario.title);
      const finding = { title: scenario.title, ...(await scenario.run(context)) };
      findings.push(finding);
      print(finding);
    }
  } finally {
    await cleanUp();
  }
  if (options.write) writeResults({ run, findings });
  if (options.recorded) {
    process.stdout.write(compareWithRecorded(findings));
    return 0;
  }
  return findings.every(({ bars }) => bars.every(({ passed }) => passed !== false)) ? 0 : 1;
}

function print({ title, table, bars }: NamedFinding): void {
  process.stdout.write(`\n## ${title}\n\n${markdown(table)}\n\n${markdown(barTable(bars))}\n`);
}

function progress(text: string): void {
  process.stderr.write(`… ${text}\n`);
}
