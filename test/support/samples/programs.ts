import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Sample } from '../../../src/contract/samples/samples.js';
import { type CommandResult, run, skipWithout } from '../processes/command.js';
import type { Test } from '../tap.js';

type Label = Sample['label'];

/** How to run samples of a language. */
interface Language {
  /** Name of the source file. */
  readonly file: string;
  /** Arguments of the compiler before the source. */
  readonly prefix?: (name: string) => string;
  /** Programs that must be installed, with arguments with which they succeed. */
  readonly needs: readonly (readonly [program: string, ...args: string[]])[];
  /** Compiles the samples of all names. */
  readonly compile?: (folder: string, names: readonly string[]) => Promise<CommandResult>;
  /** The command that runs one sample. */
  readonly command: (folder: string, name: string) => [program: string, ...args: string[]];
}

const languages: Readonly<Record<Label, Language>> = {
  curl: {
    file: 'sample.sh',
    needs: [
      ['bash', '--version'],
      ['curl', '--version'],
      ['openssl', 'version'],
    ],
    command: (folder, name) => ['bash', '-euo', 'pipefail', path.join(folder, name, 'sample.sh')],
  },
  JavaScript: {
    file: 'sample.mjs',
    needs: [],
    command: (folder, name) => [process.execPath, path.join(folder, name, 'sample.mjs')],
  },
  Python: {
    file: 'sample.py',
    needs: [['python3', '--version']],
    command: (folder, name) => ['python3', '-W', 'error', path.join(folder, name, 'sample.py')],
  },
  Ruby: {
    file: 'sample.rb',
    needs: [['ruby', '--version']],
    command: (folder, name) => ['ruby', path.join(folder, name, 'sample.rb')],
  },
  Java: {
    file: 'Sample.java',
    // One call of the compiler for all samples is much faster, and needs classes with different names.
    prefix: (name) => `package ${name};\n`,
    needs: [
      ['java', '-version'],
      ['javac', '-version'],
    ],
    compile: (folder, names) => {
      const files = names.map((name) => path.join(folder, name, 'Sample.java'));
      // The lint check for text blocks mistakes an escaped U+2028 for the end of a line.
      return run('javac', ['-Xlint:all,-text-blocks', '-d', path.join(folder, 'classes'), ...files]);
    },
    command: (folder, name) => {
      return [
        'java',
        '-XX:TieredStopAtLevel=1',
        '-XX:+UseSerialGC',
        '-cp',
        path.join(folder, 'classes'),
        `${name}.Sample`,
      ];
    },
  },
  Go: {
    file: 'sample.go',
    needs: [['go', 'version']],
    compile: async (folder) => {
      await writeFile(path.join(folder, 'go.mod'), 'module samples\n\ngo 1.19\n');
      // Built with the standard library only, and without a network.
      const env = {
        ...process.env,
        GOCACHE: path.join(folder, 'cache'),
        GOPROXY: 'off',
        GOFLAGS: '-mod=mod',
      };
      return run('go', ['build', '-ldflags=-s -w', '-o', 'programs/', './...'], { cwd: folder, env });
    },
    command: (folder, name) => [path.join(folder, 'programs', name)],
  },
};

/** Why samples of a language cannot be run on this machine; `false` if they can. */
export function skipLanguage(label: Label): string | false {
  const reasons = languages[label].needs.map(([program, ...args]) => skipWithout(program, args));
  return reasons.find((reason) => reason !== false) ?? false;
}

/** Samples of a language that can be run. */
export interface Programs {
  /** The file of a sample. */
  readonly file: (name: string) => string;
  readonly run: (name: string, variables: Readonly<Record<string, string>>) => Promise<CommandResult>;
}

/**
 * Writes samples of a language to a temporary folder, and compiles them.
 *
 * @param sources the samples by name
 */
export async function preparePrograms(
  t: Test,
  label: Label,
  sources: ReadonlyMap<string, string>,
): Promise<Programs> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'people-api-samples-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { file, prefix, compile, command } = languages[label];
  for (const [name, source] of sources) {
    await mkdir(path.join(folder, name));
    await writeFile(path.join(folder, name, file), `${prefix?.(name) ?? ''}${source}`);
  }
  const result = await compile?.(folder, [...sources.keys()]);
  if (result !== undefined && result.code !== 0) throw new Error(`${label}: ${result.stderr}`);
  if (result !== undefined) t.equal(result.stderr, '', `the compiler of ${label} has no warnings`);
  return {
    file: (name) => path.join(folder, name, file),
    run: (name, variables) => {
      const [program, ...args] = command(folder, name);
      return run(program, args, { env: { ...process.env, ...variables } });
    },
  };
}
