import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { benchRoot, packageRoot } from '../root.mjs';
import { barTable, markdown } from './tables.mjs';

const ownPackages = ['fastify', 'fastify-openapi-glue', 'pg', '@prisma/client', 'jose'];
const peerPackages = ['express', 'express-openapi-validator', 'oidc-provider'];

/**
 * What was run, on what. It is read before the first work, because the load average is to be that of a machine that
 * nobody measures on yet.
 *
 * @param {{ args: string[], options: object, server: { version: string } }} run
 * @returns {[string, string][]}
 */
export function describeRun({ args, options, server }) {
  const cpus = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  return [
    ['Date', new Date().toISOString().slice(0, 16).replace('T', ' ')],
    ['Commit', commit()],
    ['Command', `npm run bench${args.length > 0 ? ` -- ${args.join(' ')}` : ''}`],
    ['Rounds', `${options.rounds} of ${options.seconds} s for each subject`],
    ['Machine', `${cpus.length} × ${cpus[0]?.model.trim()}, ${memory} GiB, ${os.type()} ${os.release()}`],
    [
      'Load before',
      os
        .loadavg()
        .map((load) => load.toFixed(2))
        .join(' '),
    ],
    ['Node.js', process.version],
    ['PostgreSQL', server.version],
    ['Ours', versions(packageRoot, ownPackages)],
    ['Peers', versions(benchRoot, peerPackages)],
  ];
}

/**
 * Writes RESULTS.md.
 *
 * @param {[string, string][]} run see {@link describeRun}
 * @param {{ title: string, table: object, bars: object[] }[]} findings
 */
export function writeResults(run, findings) {
  const reached = findings.flatMap(({ bars }) => bars).filter(({ passed }) => passed !== undefined);
  const passed = reached.filter((bar) => bar.passed).length;
  const sections = [
    '# Results',
    'Written by `npm run bench`; what was measured and how is in [README.md](README.md). Numbers are medians over the ' +
      'rounds, with the least and the most in parentheses.',
    run.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    `${passed} of ${reached.length} bars were reached.`,
    ...findings.flatMap(({ title, table, bars }) => [
      `## ${title}`,
      markdown(table),
      markdown(barTable(bars)),
    ]),
  ];
  const file = path.join(benchRoot, 'RESULTS.md');
  writeFileSync(file, `${sections.join('\n\n')}\n`);
  return path.relative(process.cwd(), file);
}

function commit() {
  const git = (...args) => execFileSync('git', args, { cwd: packageRoot, encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', ':!scripts/bench/RESULTS.md');
    return (
      git('rev-parse', '--short', 'HEAD') + (changed === '' ? '' : ', with changes that are not committed')
    );
  } catch {
    return 'unknown';
  }
}

function versions(root, names) {
  return names
    .map((name) => {
      const file = path.join(root, 'node_modules', name, 'package.json');
      return `${name} ${JSON.parse(readFileSync(file, 'utf8')).version}`;
    })
    .join(', ');
}
