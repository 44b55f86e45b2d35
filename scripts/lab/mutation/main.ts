import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { transform } from 'esbuild';
import { createRandom } from '../../../test/support/input/random.js';
import { compiled } from '../../compile.mjs';
import { filesBelow } from '../../modified.mjs';
import { choose, instrument, type Mutant, mutantsOf } from './mutants.js';

const usage = `npm run mutation -- [options]

  --tree DIR     a checkout whose tests run, after npm ci, the build of its tests and without TEST_DATABASE_URL (this one)
  --count N      number of mutants (420)
  --seed N       chooses them (1)
  --seconds N    processor time of the tests of a mutant that survives, without start-up (60)
  --result FILE  the results as JSON, and the state to continue from (dist/mutation.json)
  --again        also runs the mutants of the result file that no test noticed in less time than --seconds
  --help
`;

/** The sources whose mutants the tests of `npm test` should notice, and the tests that run first for each. */
const scope = new Map([
  ['src/oauth', 'test/oauth'],
  ['src/platform/http/binding', 'test/platform/http'],
  ['src/platform/database/scope.ts', 'test/platform/database'],
]);

/**
 * Maximum processor time for the tests of a mutant, which may loop: more than the time of these tests without it, and their
 * start-up. It does not depend on the load of the machine. Such a mutant counts as killed.
 */
const processorSeconds = (seconds: number) => 60 + Math.ceil(2 * seconds);

/** Maximum time for the tests of a mutant, which may wait for something that does not happen. Such a mutant counts as killed. */
const timeoutMs = (seconds: number) => Math.max(600_000, 5000 * seconds);

const runner = fileURLToPath(new URL('run-tests.mjs', import.meta.url));
const nodeOptions = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--max-semi-space-size=64'];

type Numbered = Mutant & { readonly number: number };

interface Outcome {
  readonly place: string;
  readonly original: string;
  readonly replacement: string;
  /** `uncovered`: no test reaches it. `survived`: in the tests for which there was time. */
  readonly result: 'killed' | 'survived' | 'uncovered';
  /** The limit `--seconds` of the run. Earlier versions did not store it. */
  readonly seconds?: number;
}

interface Reached {
  readonly file: string;
  readonly failed: boolean;
  readonly seconds: number;
  readonly reached: readonly number[];
}

const { values } = parseArgs({
  options: {
    tree: { type: 'string', default: '.' },
    count: { type: 'string', default: '420' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    result: { type: 'string', default: 'dist/mutation.json' },
    again: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else
  await main({
    tree: path.resolve(values.tree),
    count: Number(values.count),
    seed: Number(values.seed),
    seconds: Number(values.seconds),
    resultFile: path.resolve(values.result),
    again: values.again,
  });

interface Options {
  readonly tree: string;
  readonly count: number;
  readonly seed: number;
  readonly seconds: number;
  readonly resultFile: string;
  readonly again: boolean;
}

async function main({ tree, count, seed, seconds, resultFile, again }: Options): Promise<void> {
  const sources = filesBelow('src', tree).filter(
    (file) => testsOf(file) !== undefined && /\.tsx?$/.test(file),
  );
  const texts = new Map(sources.map((file) => [file, readFileSync(path.join(tree, file), 'utf8')]));
  const all = [...texts].flatMap(([file, text]) => mutantsOf(file, text));
  const mutants = choose(all, count, createRandom(seed)).map((mutant, number) => ({ ...mutant, number }));
  const read: Outcome[] = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : [];
  const outcomes = new Map(read.map((outcome) => [keyOf(outcome), outcome]));
  const describe = ({ file, start, end, replacement }: Mutant) => {
    const text = texts.get(file) ?? '';
    const line = text.slice(0, start).split('\n').length;
    return {
      place: `${file}:${line}`,
      original: text.slice(start, end),
      replacement: replacement ?? '(left out)',
    };
  };
  const left = mutants.filter((mutant) => {
    const outcome = outcomes.get(keyOf(describe(mutant)));
    return (
      outcome === undefined || (again && outcome.result !== 'killed' && (outcome.seconds ?? 0) < seconds)
    );
  });
  process.stdout.write(`${all.length} mutants, ${mutants.length} chosen, ${left.length} to run\n`);
  try {
    for (const [file, text] of texts) {
      await write(
        tree,
        file,
        instrument(
          text,
          mutants.filter((mutant) => mutant.file === file),
        ),
      );
    }
    const covering = await findTests(tree, mutants, seconds);
    await each(left, async (mutant) => {
      const files = covering(mutant);
      const killed = files.length > 0 && (await fails(tree, files, { mutant: mutant.number, seconds }));
      const result = files.length === 0 ? 'uncovered' : killed ? 'killed' : 'survived';
      const outcome: Outcome = { ...describe(mutant), result, seconds };
      outcomes.set(keyOf(outcome), outcome);
      writeFileSync(resultFile, JSON.stringify([...outcomes.values()], null, 1));
      if (result !== 'killed') process.stdout.write(`${result}  ${JSON.stringify(outcome)}\n`);
    });
  } finally {
    for (const [file, text] of texts) await write(tree, file, text);
  }
  const killed = [...outcomes.values()].filter(({ result }) => result === 'killed').length;
  process.stdout.write(
    `${killed} of ${outcomes.size} killed (${((100 * killed) / outcomes.size).toFixed(1)} %)\n`,
  );
}

function keyOf({ place, original, replacement }: Omit<Outcome, 'result' | 'seconds'>): string {
  return JSON.stringify([place, original, replacement]);
}

function testsOf(source: string): string | undefined {
  const name = [...scope.keys()].find((name) => source === name || source.startsWith(`${name}/`));
  return name === undefined ? undefined : scope.get(name);
}

/**
 * Finds the tests of `npm test` that reach each mutant: those of its folder first, then those that take least time, as many as
 * there is time for.
 */
async function findTests(
  tree: string,
  mutants: readonly Numbered[],
  seconds: number,
): Promise<(mutant: Numbered) => string[]> {
  const tests = filesBelow('test', tree).filter(
    (file) => /\.test\.tsx?$/.test(file) && !file.startsWith(path.join('test', 'all', path.sep)),
  );
  const all: Reached[] = [];
  await each(portions(tests, 8), async (files) => {
    const child = spawn(process.execPath, [...nodeOptions, runner, tree, ...files], {
      cwd: tree,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.startsWith('{"file":')) all.push(JSON.parse(line));
    }
  });
  // A file that fails without a mutant would kill every one.
  const found = all.filter(({ failed }) => !failed);
  const failing = all.filter(({ failed }) => failed).map(({ file }) => file);
  process.stdout.write(
    `${found.length} of ${tests.length} test files; without a mutant fail: ${failing.join(', ')}\n`,
  );
  found.sort((a, b) => a.seconds - b.seconds);
  const reaching = (number: number) => found.filter(({ reached }) => reached.includes(number));
  return (mutant) => {
    // A place that runs when its module is loaded is reached by the first file of a process only.
    const isLoaded = reaching(mutant.number).length <= 8;
    const siblings = isLoaded ? mutants.filter(({ file }) => file === mutant.file) : [mutant];
    const numbers = new Set(siblings.map(({ number }) => number));
    const files = found.filter(({ reached }) => reached.some((number) => numbers.has(number)));
    const folder = `${testsOf(mutant.file)}/`;
    const near = files.filter(({ file }) => file.startsWith(folder));
    const ordered = [...near, ...files.filter((file) => !near.includes(file))];
    let left = seconds;
    return ordered
      .filter((file) => {
        left -= file.seconds;
        return left >= 0;
      })
      .map(({ file }) => file);
  };
}

/** Whether a test fails with a mutant, or takes too long. */
function fails(
  tree: string,
  files: readonly string[],
  { mutant, seconds }: { mutant: number; seconds: number },
): Promise<boolean> {
  return new Promise((resolve) => {
    const env = { ...process.env, MUTANT: String(mutant) };
    const limited = ['-c', `ulimit -t ${processorSeconds(seconds)}; exec "$@"`, 'sh', process.execPath];
    const child = spawn('sh', [...limited, ...nodeOptions, runner, tree, ...files], {
      cwd: tree,
      env,
      stdio: 'ignore',
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs(seconds));
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code !== 0);
    });
  });
}

/** Compiles a source into dist/. */
async function write(tree: string, file: string, text: string): Promise<void> {
  const loader = file.endsWith('x') ? 'tsx' : 'ts';
  const tsconfigRaw = readFileSync(path.join(tree, 'tsconfig.json'), 'utf8');
  const { code } = await transform(text, { loader, target: 'node20', tsconfigRaw });
  writeFileSync(path.join(tree, compiled(file)), code);
}

/** Runs the work of all items, as many at a time as there are processors. */
async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(os.cpus().map(worker));
}

function portions<Item>(items: readonly Item[], count: number): Item[][] {
  return Array.from({ length: count }, (_, portion) => items.filter((_, index) => index % count === portion));
}
