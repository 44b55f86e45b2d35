import { execFile, spawnSync } from 'node:child_process';
import { chownSync, existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const directory = pgConfig('--bindir');

/** Whether the programs of a PostgreSQL server are installed. `PG_CONFIG` is the `pg_config` of the installation to use. */
export const hasPostgresqlPrograms =
  directory !== undefined &&
  ['initdb', 'postgres', 'pg_basebackup'].every((name) => existsSync(path.join(directory, name)));

/** PostgreSQL does not run as root, so its programs run as the user `postgres` then. */
const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};

/** Options of a child process for a program of PostgreSQL. The time zone becomes the default of a new server. */
export const programOptions = {
  ...user,
  cwd: '/',
  env: { PATH: process.env.PATH ?? '', TZ: 'UTC', LC_ALL: 'C.UTF-8' },
};

/** Path of a program of PostgreSQL. */
export function programPath(name: string): string {
  if (directory === undefined) throw new Error('pg_config is not installed; PG_CONFIG is its path');
  return path.join(directory, name);
}

/** Runs a program of PostgreSQL. */
export async function runProgram(name: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(programPath(name), args, programOptions);
}

/** Makes the user of the programs the owner of a directory. */
export function giveToUser(directory: string): void {
  if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid);
}

/** Directory of the libraries of PostgreSQL, with those of its extensions. */
export function libraryPath(): string {
  return pgConfig('--pkglibdir') ?? '';
}

function pgConfig(option: string): string | undefined {
  const { status, stdout } = spawnSync(process.env.PG_CONFIG || 'pg_config', [option], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function idOf(option: '-u' | '-g'): number | undefined {
  const { status, stdout } = spawnSync('id', [option, 'postgres'], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}
