// Renders the contract as the reference: dist/docs/index.html and its script.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { root } from '../modified.mjs';
import { chaptersOf } from './chapters.mjs';
import { localise, localiseBundle } from './localise.mjs';

const here = path.join(root, 'scripts', 'reference');
const output = path.join(root, 'dist', 'docs');
mkdirSync(output, { recursive: true });

const temporary = mkdtempSync(path.join(tmpdir(), 'reference-'));
const rendered = path.join(temporary, 'index.html');
const template = path.join(here, 'page.hbs');
const command = path.join(root, 'node_modules', '.bin', 'redocly');
const { status, stdout, stderr } = spawnSync(
  command,
  ['build-docs', 'people@v1', '--template', template, '--output', rendered],
  { cwd: root, encoding: 'utf8', env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
);
if (status !== 0) {
  process.stderr.write(`${stdout}${stderr}`);
  process.exit(status ?? 1);
}

const cli = path.dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json'));
const bundle = readFileSync(path.join(cli, 'lib', 'chunks', 'redoc.standalone.js'), 'utf8');
const page = readFileSync(rendered, 'utf8');
rmSync(temporary, { recursive: true });
const { html, integrity } = localise(page, readFileSync(path.join(here, 'page.css'), 'utf8'));
if (integrity !== `sha384-${createHash('sha384').update(bundle).digest('base64')}`) {
  throw new Error('The digest of the script in the package differs from the digest in the rendered page');
}
writeFileSync(path.join(output, 'redoc.js'), localiseBundle(bundle));
const contract = parse(readFileSync(path.join(root, 'openapi', 'v1.yaml'), 'utf8'));
writeFileSync(
  path.join(output, 'index.html'),
  html.replace('</noscript>', () => `${chaptersOf(contract)}</noscript>`),
);
