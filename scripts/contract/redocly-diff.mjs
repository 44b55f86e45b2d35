import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { root } from '../modified.mjs';

const bin = path.join(root, 'node_modules', '.bin', 'redocly');

/**
 * Every change between two contracts that Redocly finds. A change has a `kind` (`added`, `removed`, or `modified` with a
 * `property`), the `typeName` of the object that contains it, `base` and `revision` with pointer and value, and
 * `verdicts`: the rules of `diff-recommended` that classify it as breaking, for requests or for responses.
 */
export function redoclyChanges(released, contract) {
  const args = ['diff', released, contract, '--format', 'json', '--fail-on', 'none'];
  const { status, stdout, stderr } = spawnSync(bin, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off', ...process.env },
  });
  if (status !== 0) throw new Error(`redocly diff failed:\n${stdout}${stderr}`);
  return JSON.parse(stdout).changes;
}
