import { openServer } from './database/server.mjs';
import { startGenerator } from './load/generator-process.mjs';
import { readOptions } from './options.mjs';
import { describeRun, writeResults } from './report/results.mjs';
import { barTable, markdown } from './report/tables.mjs';
import { works } from './works/index.mjs';
import { databases } from './works/sizes.mjs';

/**
 * Does the works that were asked for.
 *
 * @param {string[]} args
 * @returns {Promise<number>} exit code: 0 when every bar was reached
 */
export async function bench(args) {
  const options = readOptions(
    args,
    works.map(({ name }) => name),
  );
  if (options.usage !== undefined) {
    process.stdout.write(options.usage);
    return 0;
  }
  const server = await openServer(options.databaseUrl, options);
  const generator = startGenerator();
  const clearUp = async () => {
    await generator.stop();
    await server.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => clearUp().finally(() => process.exit(130)));
  const context = { options, server, generator, progress, database: databases(server, progress) };
  const run = describeRun({ args, options, server });
  const findings = [];
  try {
    for (const work of works.filter(({ name }) => options.works.includes(name))) {
      progress(work.title);
      if (options.profile) {
        await profile(work, context);
        continue;
      }
      const finding = { ...work, ...(await work.run(context)) };
      findings.push(finding);
      print(finding);
    }
  } finally {
    await clearUp();
  }
  if (options.write) progress(`written to ${writeResults(run, findings)}`);
  return findings.every(({ bars }) => bars.every(({ passed }) => passed !== false)) ? 0 : 1;
}

async function profile(work, context) {
  if (work.profile === undefined) return progress('is not made of requests to profile');
  process.stdout.write(`\n## ${work.title}\n\n${await work.profile(context)}\n`);
}

function print({ title, table, bars }) {
  process.stdout.write(`\n## ${title}\n\n${markdown(table)}\n\n${markdown(barTable(bars))}\n`);
}

function progress(text) {
  process.stderr.write(`… ${text}\n`);
}
