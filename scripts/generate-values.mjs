// Writes the values of the contract's open enumerations as closed types: clients must expect other values, and this server
// sends no other.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { root } from './modified.mjs';

const names = ['ProblemCode', 'ScopeName'];
const output = path.join(root, 'src', 'contract', 'generated-values.ts');

const { schemas } = parse(readFileSync(path.join(root, 'openapi', 'v1.yaml'), 'utf8')).components;
const types = names.map((name) => {
  const values = schemas[name]['x-extensible-enum'].map((value) => `  | '${value}'`);
  return `/** Values of \`${name}\` in the contract. */\nexport type ${name} =\n${values.join('\n')};\n`;
});
const header = '// Generated from openapi/v1.yaml by scripts/generate-values.mjs. Do not edit.\n';
writeFileSync(output, [header, ...types].join('\n'));
