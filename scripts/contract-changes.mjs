// Compares openapi/v1.yaml with the last released contract. Fails if a change can break a client, if
// info.version is too low for the changes, or if CHANGELOG.md does not mention one of them.
import { existsSync, readFileSync } from 'node:fs';
import { compareContracts } from './contract/compare.mjs';
import { files, readYaml } from './contract/files.mjs';
import { redoclyChanges } from './contract/redocly-diff.mjs';
import { reportOn } from './contract/report.mjs';

const [released, contract] = [files.released, files.contract].map(readYaml);
const { lines, errors } = reportOn({
  changes: compareContracts(released, contract, redoclyChanges(files.released, files.contract)),
  version: contract.info.version,
  released: released.info.version,
  accepted: existsSync(files.accepted) ? (readYaml(files.accepted) ?? []) : [],
  acceptedFile: files.accepted,
  changelog: readFileSync(files.changelog, 'utf8'),
});

for (const line of lines) process.stdout.write(`${line}\n`);
for (const error of errors) process.stderr.write(`${error}\n`);
if (errors.length > 0) process.exit(1);
