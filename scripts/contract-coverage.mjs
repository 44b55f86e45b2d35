// Lists the parts of the contract that no test covers, and fails if there are any. `npm test` runs it after all tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { judge } from './contract/coverage.mjs';
import { root } from './modified.mjs';

const [directory] = process.argv.slice(2);
const document = parse(readFileSync(path.join(root, 'openapi', 'v1.yaml'), 'utf8'));
const database = process.env.TEST_DATABASE_URL ? 'postgresql' : 'embedded';
const allowed = parse(readFileSync(path.join(root, 'test', 'contract', 'unseen.yaml'), 'utf8')).filter(
  (excuse) => excuse.database === undefined || excuse.database === database,
);
const exchanges = (existsSync(directory) ? readdirSync(directory) : [])
  .flatMap((name) => readFileSync(path.join(directory, name), 'utf8').split('\n'))
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

const { demands, missing, stale } = judge(document, exchanges, allowed);
for (const demand of missing) process.stderr.write(`Not covered by a test: ${demand}\n`);
for (const entry of stale) process.stderr.write(`Superfluous in test/contract/unseen.yaml: ${entry}\n`);
process.stdout.write(
  `The tests cover ${demands - missing.length} of ${demands} responses, parameters and codes of the contract, exceptions included.\n`,
);
process.exitCode = missing.length + stale.length > 0 ? 1 : 0;
