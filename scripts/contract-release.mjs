// Makes openapi/v1.yaml the released contract: writes today's date into CHANGELOG.md, keeps a copy under
// openapi/released and forgets the accepted changes. Run it on a clean tree and commit what it changed.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { dateSection, sectionOf } from './contract/changelog.mjs';
import { compareVersions } from './contract/versions.mjs';
import { root } from './modified.mjs';

const contract = path.join(root, 'openapi', 'v1.yaml');
const released = path.join(root, 'openapi', 'released', 'v1.yaml');
const changelog = path.join(root, 'CHANGELOG.md');
const { version } = readYaml(contract).info;

if (existsSync(released)) {
  const { status } = spawnSync(process.execPath, [path.join(root, 'scripts', 'contract-changes.mjs')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
  const last = readYaml(released).info.version;
  if (compareVersions(version, last) <= 0) fail(`${last} is released already: raise info.version first.`);
}
const text = readFileSync(changelog, 'utf8');
if (sectionOf(text, version) === undefined) fail(`CHANGELOG.md has no section "## ${version} (unreleased)".`);

writeFileSync(changelog, dateSection(text, version, new Date().toISOString().slice(0, 10)));
mkdirSync(path.dirname(released), { recursive: true });
copyFileSync(contract, released);
rmSync(released.replace(/yaml$/, 'accepted.yaml'), { force: true });
process.stdout.write(`Released ${version}. Commit it and tag the commit contract-v${version}.\n`);

function readYaml(file) {
  return parse(readFileSync(file, 'utf8'));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
