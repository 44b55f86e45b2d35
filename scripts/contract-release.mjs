// Releases openapi/v1.yaml: writes the date into CHANGELOG.md, copies the contract to openapi/released and deletes the
// accepted changes. Run it on a clean working tree and commit the result.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dateSection, sectionOf } from './contract/changelog.mjs';
import { files, readYaml } from './contract/files.mjs';
import { compareVersions } from './contract/versions.mjs';
import { root } from './modified.mjs';

const { version } = readYaml(files.contract).info;

if (existsSync(files.released)) {
  const changes = [path.join(root, 'scripts', 'contract-changes.mjs'), ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, changes, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  const last = readYaml(files.released).info.version;
  if (compareVersions(version, last) <= 0) fail(`${last} is released already. Raise info.version first.`);
}
const text = readFileSync(files.changelog, 'utf8');
if (sectionOf(text, version) === undefined) fail(`CHANGELOG.md has no section "## ${version} (unreleased)".`);

writeFileSync(files.changelog, dateSection(text, version, new Date().toISOString().slice(0, 10)));
mkdirSync(path.dirname(files.released), { recursive: true });
copyFileSync(files.contract, files.released);
rmSync(files.accepted, { force: true });
process.stdout.write(`Released ${version}. Commit it and tag the commit contract-v${version}.\n`);

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
