import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Sample } from '../../../scripts/docs/samples/samples.js';
import { packageRoot } from '../../../src/platform/package-root.js';
import { type CommandResult, run, skipWithout } from '../processes/command.js';
import type { Test } from '../tap.js';
import { Host } from './host.js';

type Label = Sample['label'];
type Command = [program: string, ...args: string[]];

/** How to run samples of a language. */
interface Language {
  /** Name of the source file. */
  readonly file: string;
  /** Turns the program into a part of one program with all samples, which is compiled and started much faster. */
  readonly part?: (source: string, name: string) => string;
  /** Programs that must be installed, with arguments with which they succeed. */
  readonly needs: readonly (readonly [program: string, ...args: string[]])[];
  /** Compiles the samples of all names. */
  readonly compile?: (folder: string, names: readonly string[]) => Promise<CommandResult>;
  /** The command that runs one sample, or the one of a process that runs any of them. */
  readonly command:
    | ((folder: string, name: string) => Command)
    | { readonly host: (folder: string) => Command };
}

const hosts = path.join(packageRoot, 'test', 'support', 'samples', 'hosts');

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
    command: { host: (folder) => [process.execPath, path.join(hosts, 'host.mjs'), folder] },
  },
  Python: {
    file: 'sample.py',
    needs: [['python3', '--version']],
    command: { host: (folder) => ['python3', '-W', 'error', path.join(hosts, 'host.py'), folder] },
  },
  Ruby: {
    file: 'sample.rb',
    needs: [['ruby', '--version']],
    // The samples need the standard library only.
    command: (folder, name) => ['ruby', '--disable=gems', path.join(folder, name, 'sample.rb')],
  },
  Java: {
    file: 'Sample.java',
    part: (source, name) => `package ${name};\n${source}`,
    needs: [
      ['java', '-version'],
      ['javac', '-version'],
    ],
    compile: (folder, names) => {
      const files = [
        path.join(hosts, 'Host.java'),
        ...names.map((name) => path.join(folder, name, 'Sample.java')),
      ];
      // The lint check for text blocks mistakes an escaped U+2028 for the end of a line.
      return run('javac', ['-Xlint:all,-text-blocks', '-d', path.join(folder, 'classes'), ...files]);
    },
    command: {
      host: (folder) => {
        const flags = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
        return ['java', ...flags, '-cp', path.join(folder, 'classes'), 'Host', folder];
      },
    },
  },
  Go: {
    file: 'sample.go',
    part: (source, name) =>
      source.replace(/^package main$/m, `package ${name}`).replace(/^func main\(\) \{$/m, 'func Main() {'),
    needs: [['go', 'version']],
    compile: async (folder, names) => {
      await writeFile(path.join(folder, 'go.mod'), 'module samples\n\ngo 1.19\n');
      await writeFile(path.join(folder, 'main.go'), goProgram(names));
      // Built with the standard library only, and without a network.
      const env = {
        ...process.env,
        GOCACHE: path.join(folder, 'cache'),
        GOPROXY: 'off',
        GOFLAGS: '-mod=mod',
      };
      return run('go', ['build', '-ldflags=-s -w', '-o', 'program', '.'], { cwd: folder, env });
    },
    command: (folder, name) => [path.join(folder, 'program'), name],
  },
};

/** A program that runs the sample which its argument names. */
function goProgram(names: readonly string[]): string {
  const imports = names.map((name) => `\t"samples/${name}"\n`).join('');
  const cases = names.map((name) => `\tcase "${name}":\n\t\t${name}.Main()\n`).join('');
  return `package main\n\nimport (\n\t"os"\n${imports})\n\nfunc main() {\n\tswitch os.Args[1] {\n${cases}\t}\n}\n`;
}

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
  const { file, part, compile, command } = languages[label];
  for (const [name, source] of sources) {
    await mkdir(path.join(folder, name));
    await writeFile(path.join(folder, name, file), part?.(source, name) ?? source);
  }
  const result = await compile?.(folder, [...sources.keys()]);
  if (result !== undefined && result.code !== 0) throw new Error(`${label}: ${result.stderr}`);
  if (result !== undefined) t.equal(result.stderr, '', `the compiler of ${label} has no warnings`);
  const started = new Map<string, Host>();
  t.teardown(() => Promise.all([...started.values()].map((host) => host.stop())));
  const hostWith = (variables: Readonly<Record<string, string>>, start: (folder: string) => Command) => {
    const key = JSON.stringify(variables);
    const host = started.get(key) ?? new Host(start(folder), { folder, variables });
    started.set(key, host);
    return host;
  };
  return {
    file: (name) => path.join(folder, name, file),
    run: (name, variables) => {
      if ('host' in command) return hostWith(variables, command.host).run(name);
      const [program, ...args] = command(folder, name);
      return run(program, args, { env: { ...process.env, ...variables } });
    },
  };
}
