// Runs the tests: all of them, or the files that are named. After all of them it says what of the contract none of them
// has seen, and fails if there is anything.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from './modified.mjs';

const chosen = process.argv.slice(2);
const exchanges = mkdtempSync(path.join(tmpdir(), 'contract-exchanges-'));
try {
  const passed = run([path.join('node_modules', 'tap', 'dist', 'esm', 'run.mjs'), ...chosen]);
  const some = chosen.some((argument) => !argument.startsWith('-'));
  const covered = some || run([path.join('scripts', 'contract-coverage.mjs'), exchanges]);
  process.exitCode = passed && covered ? 0 : 1;
} finally {
  rmSync(exchanges, { recursive: true, force: true });
}

function run(args) {
  const env = { ...process.env, CONTRACT_EXCHANGES: exchanges };
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env }).status === 0;
}
