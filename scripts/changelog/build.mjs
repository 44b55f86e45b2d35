// Renders CHANGELOG.md as dist/docs/changelog.json, the content of the page /changelog and of its feed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { root } from '../modified.mjs';
import { renderChangelog } from './render.mjs';

const read = (...names) => readFileSync(path.join(root, ...names), 'utf8');
const changelog = renderChangelog(read('CHANGELOG.md'), parse(read('openapi', 'v1.yaml')));
const output = path.join(root, 'dist', 'docs');
mkdirSync(output, { recursive: true });
writeFileSync(path.join(output, 'changelog.json'), JSON.stringify(changelog));
