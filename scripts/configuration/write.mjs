// Writes the table of environment variables into docs/configuration.md.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { variables } from '../../dist/src/platform/config/variables.js';
import { root } from '../modified.mjs';
import { withTable } from './table.mjs';

const file = path.join(root, 'docs', 'configuration.md');
writeFileSync(file, withTable(readFileSync(file, 'utf8'), variables));
