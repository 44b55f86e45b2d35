import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { labRoot, packageRoot } from '../../kit/paths.js';
import { markdown } from '../../kit/table.js';
import type { Finding } from '../context.js';
import type { Options } from '../options.js';
import { renderChart } from './svg.js';
import { barTable } from './tables.js';

export interface NamedFinding extends Finding {
  readonly title: string;
}

export interface Results {
  /** Versions and environment of the run, by name. */
  readonly run: readonly (readonly [string, string])[];
  readonly findings: readonly NamedFinding[];
}

const ownPackages = ['fastify', 'fastify-openapi-glue', 'pg', '@prisma/client', 'jose'];
const baselinePackages = ['express', 'express-openapi-validator', 'oidc-provider'];

/** Describes the run. Called before the first scenario, so that the load average is that of the idle machine. */
export function describeRun({
  args,
  options,
  server,
}: {
  args: readonly string[];
  options: Options;
  server: { version: string };
}): Results['run'] {
  const cpus = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const load = os.loadavg().map((average) => average.toFixed(2));
  return [
    ['Date', new Date().toISOString().slice(0, 16).replace('T', ' ')],
    ['Commit', commit()],
    ['Command', `npm run bench${args.length > 0 ? ` -- ${args.join(' ')}` : ''}`],
    ['Rounds', `${options.rounds} of ${options.seconds} s for each server`],
    ['Machine', `${cpus.length} × ${cpus[0]?.model.trim()}, ${memory} GiB, ${os.type()} ${os.release()}`],
    ['Load before', load.join(' ')],
    ['Node.js', process.version],
    ['PostgreSQL', server.version],
    ['Ours', versions(packageRoot, ownPackages)],
    ['Baselines', versions(labRoot, baselinePackages)],
  ];
}

/** Writes `RESULTS.md` and `results.svg`. */
export function writeResults(results: Results): void {
  writeFileSync(path.join(labRoot, 'bench', 'RESULTS.md'), renderDocument(results));
  writeFileSync(path.join(labRoot, 'bench', 'results.svg'), renderChart(results));
}

function renderDocument({ run, findings }: Results): string {
  const bars = findings.flatMap((finding) => finding.bars).filter(({ passed }) => passed !== undefined);
  const passed = bars.filter((bar) => bar.passed).length;
  const sections = [
    '# Results',
    'Written by `npm run bench`; [README.md](../README.md) describes what is measured and how. Numbers are medians over ' +
      'the rounds, with the least and the most in parentheses.',
    run.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    `${passed} of ${bars.length} bars are met.`,
    ...findings.flatMap((finding) => [
      `## ${finding.title}`,
      markdown(finding.table),
      markdown(barTable(finding.bars)),
    ]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: packageRoot, encoding: 'utf8' }).trim();
  try {
    const results = ['RESULTS.md', 'results.svg'].map((name) => `:!scripts/lab/bench/${name}`);
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', ...results);
    return git('rev-parse', '--short', 'HEAD') + (changed === '' ? '' : ', with uncommitted changes');
  } catch {
    return 'unknown';
  }
}

function versions(root: string, names: readonly string[]): string {
  return names
    .map((name) => {
      const file = path.join(root, 'node_modules', name, 'package.json');
      return `${name} ${JSON.parse(readFileSync(file, 'utf8')).version}`;
    })
    .join(', ');
}
