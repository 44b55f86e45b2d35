// Lists the parts of the contract that no test covers, and fails if there are any. `npm test` runs it after all tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { coverageOf } from './contract/coverage.mjs';
import { root } from './modified.mjs';

const [directory] = process.argv.slice(2);
const document = parse(readFileSync(path.join(root, 'openapi', 'v1.yaml'), 'utf8'));
const database = process.env.TEST_DATABASE_URL ? 'postgresql' : 'embedded';
const exceptions = parse(readFileSync(path.join(root, 'test', 'contract', 'unseen.yaml'), 'utf8')).filter(
  (exception) => exception.database === undefined || exception.database === database,
);
const exchanges = (existsSync(directory) ? readdirSync(directory) : [])
  .flatMap((name) => readFileSync(path.join(directory, name), 'utf8').split('\n'))
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

const { required, missing, stale } = coverageOf(document, exchanges, exceptions);
for (const requirement of missing) process.stderr.write(`Not covered by a test: ${requirement}\n`);
for (const line of stale) {
  process.stderr.write(
    `test/contract/unseen.yaml: the exception is covered, unknown or without a reason: ${line}\n`,
  );
}
process.stdout.write(
  `The tests cover ${required - missing.length} of ${required} responses, parameters and codes of the contract, including exceptions.\n`,
);
process.exitCode = missing.length + stale.length > 0 ? 1 : 0;
