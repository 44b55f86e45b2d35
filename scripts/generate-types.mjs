// Writes the types of the contract. openapi-typescript has no type for a string with a prefix: in a union with an enum, `string` would
// replace the enum, and the compiler would accept every key.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './modified.mjs';

const output = path.join(root, 'src/platform/contract/generated.ts');
const { status, stderr, stdout } = spawnSync(
  path.join(root, 'node_modules', '.bin', 'openapi-typescript'),
  ['openapi/v1.yaml', '--redocly', 'openapi/openapi-typescript.redocly.yaml', '--output', output],
  { cwd: root, encoding: 'utf8' },
);
if (status !== 0) {
  process.stderr.write(`${stdout}${stderr}`);
  process.exit(status ?? 1);
}

/** A text with any end after the prefix, as a type. */
const anyWith = (prefix) => `\`${prefix}$\{string}\``;
const functions = ['sum', 'average', 'minimum', 'maximum'].flatMap((name) => [`${name}_`, `-${name}_`]);
const prefixed = {
  CustomColumnKey: anyWith('custom.'),
  CustomSortKey: `${anyWith('custom.')} | ${anyWith('-custom.')}`,
  ReportMeasureSortKey: functions.map(anyWith).join(' | '),
};
const types = Object.entries(prefixed).reduce(
  (text, [name, type]) => {
    const line = `        ${name}: string;`;
    if (!text.includes(line)) throw new Error(`The types of the contract lack ${name}`);
    return text.replace(line, () => `        ${name}: ${type};`);
  },
  readFileSync(output, 'utf8'),
);
writeFileSync(output, types);
