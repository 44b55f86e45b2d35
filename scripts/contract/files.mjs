import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { root } from '../modified.mjs';

const option = (file) => ({ type: 'string', default: path.join(root, file) });

/** The files that the contract commands read and write. A command line option can replace each of them. */
export const { values: files } = parseArgs({
  options: {
    contract: option('openapi/v1.yaml'),
    released: option('openapi/released/v1.yaml'),
    accepted: option('openapi/released/v1.accepted.yaml'),
    changelog: option('CHANGELOG.md'),
  },
});

export function readYaml(file) {
  return parse(readFileSync(file, 'utf8'));
}
