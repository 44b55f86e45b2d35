import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Readable } from 'node:stream';
import { runCommandLine } from '../../../src/cli/program.js';
import type { CommandProcess } from '../../../src/platform/cli/context.js';
import type { Database, DatabaseOptions } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { noAccount, withScope } from '../../../src/platform/database/scope.js';
import { packageRoot } from '../../../src/platform/package-root.js';
import { testSecret } from '../server/app.js';
import t, { type Test } from '../tap.js';
import { withoutTap } from './plain-process.js';

export interface CommandResult {
  /** `null` if a signal terminated it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs in a separate process. */
export interface RunningCommand {
  readonly child: ChildProcessWithoutNullStreams;
  readonly result: Promise<CommandResult>;
  /** Resolves when standard error contains this text. */
  said(text: string): Promise<void>;
}

/** Arguments for a process that opens an embedded database, as .taprc passes to the tests. */
export const quick = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/** Without the environment of the test runner. */
function environmentOf({ databaseUrl, directDatabaseUrl, dataDir }: DatabaseOptions): Record<string, string> {
  return {
    APP_SECRET: testSecret,
    DATA_DIR: dataDir,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    ...(directDatabaseUrl !== undefined && { DIRECT_DATABASE_URL: directDatabaseUrl }),
  };
}

/** Starts the built command line, and kills it when the test ends. */
export function startCommand(
  t: Test,
  database: DatabaseOptions,
  args: readonly string[],
  environment: Record<string, string> = {},
): RunningCommand {
  const main = path.join(packageRoot, 'dist', 'src', 'cli', 'main.js');
  const child = spawn(...withoutTap(process.execPath, [...quick, main, ...args]), {
    env: { PATH: process.env.PATH ?? '', ...environmentOf(database), ...environment },
  });
  t.teardown(() => child.kill('SIGKILL'));
  // A command that needs no input may exit before the input is written.
  child.stdin.on('error', () => {});
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  return {
    child,
    result: once(child, 'close').then(([code]) => ({ code, ...output })),
    async said(text) {
      while (!output.stderr.includes(text)) {
        if (child.exitCode !== null)
          throw new Error(`The command exited before it printed ${text}: ${output.stderr}`);
        await Promise.race([once(child.stderr, 'data'), once(child, 'close')]);
      }
    },
  };
}

/** Databases that are open for commands in this process, by data directory. */
const opened = new Map<string, Promise<Database>>();

/**
 * Opens a database that {@link runCommandHere} uses too, because opening the embedded database takes longer than a command.
 * `close` does nothing: it stays open until the test file ends or a command needs it in a separate process.
 */
export async function openForCommands(options: DatabaseOptions): Promise<Database> {
  let opening = opened.get(options.dataDir);
  if (opening === undefined) {
    opening = openDatabase(options);
    opened.set(options.dataDir, opening);
    t.teardown(() => closeForCommands(options));
  }
  return { ...(await opening), close: async () => {} };
}

async function closeForCommands({ dataDir }: DatabaseOptions): Promise<void> {
  const database = opened.get(dataDir);
  opened.delete(dataDir);
  await (await database)?.close();
}

/** Runs a command in a separate process until it exits. */
export async function runCommand(
  t: Test,
  database: DatabaseOptions,
  args: readonly string[],
  input: string | Uint8Array = '',
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  await closeForCommands(database);
  const { child, result } = startCommand(t, database, args, environment);
  child.stdin.end(input);
  return result;
}

/** Runs a command in this process, which takes a tenth of the time. */
export async function runCommandHere(
  database: DatabaseOptions,
  args: readonly string[],
  input: string | Uint8Array = '',
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const output = { stdout: '', stderr: '' };
  const commandProcess: CommandProcess = {
    env: { ...environmentOf(database), ...environment },
    stdin: Readable.from([Buffer.from(input)]),
    stdout: { write: (text) => (output.stdout += text) },
    stderr: { write: (text) => (output.stderr += text) },
    openDatabase: (config) =>
      config.dataDir === database.dataDir && config.databaseUrl === database.databaseUrl
        ? openForCommands(database)
        : openDatabase(config),
  };
  // The default scope of a command, unlike that of a test, has no account.
  await withScope(noAccount, () => runCommandLine(commandProcess, args));
  return { code: Number(commandProcess.exitCode ?? 0), ...output };
}
