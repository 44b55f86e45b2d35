// Compares openapi/v1.yaml with the last released contract. Fails on a change that can break a client, and on a change
// that is missing in the version or in CHANGELOG.md.
import { existsSync, readFileSync } from 'node:fs';
import { compareContracts } from './contract/compare.mjs';
import { files, readYaml } from './contract/files.mjs';
import { redoclyChanges } from './contract/redocly-diff.mjs';
import { reportOn } from './contract/report.mjs';

const [released, contract] = [files.released, files.contract].map(readYaml);
const { lines, faults } = reportOn({
  changes: compareContracts(released, contract, redoclyChanges(files.released, files.contract)),
  version: contract.info.version,
  released: released.info.version,
  accepted: existsSync(files.accepted) ? (readYaml(files.accepted) ?? []) : [],
  acceptedFile: files.accepted,
  changelog: readFileSync(files.changelog, 'utf8'),
});

for (const line of lines) process.stdout.write(`${line}\n`);
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exit(1);
