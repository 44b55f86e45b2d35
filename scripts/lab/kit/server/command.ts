import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { packageRoot } from '../paths.js';
import { appSecret } from './ours.js';

/** Runs a command of the built service. @param root of another checkout */
export function runCommand(args: readonly string[], databaseUrl: string, root = packageRoot): void {
  const command = path.join(root, 'dist', 'src', 'cli', 'main.js');
  const { status, stderr, stdout } = spawnSync(process.execPath, [command, ...args], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      APP_SECRET: appSecret,
    },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stdout}${stderr}`);
}
