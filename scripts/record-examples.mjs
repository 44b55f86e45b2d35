// Records the examples of the contract: sends the requests in scripts/examples to a server with the demo data, and
// writes the responses into openapi/v1.yaml. The rest of the file is not changed.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { recordExamples } from './examples/record.mjs';
import { replaceValues } from './examples/write.mjs';
import { root } from './modified.mjs';

const file = path.join(root, 'openapi', 'v1.yaml');
const text = readFileSync(file, 'utf8');
const values = await recordExamples(parse(text));
writeFileSync(file, replaceValues(text, values));
process.stdout.write(`Recorded ${values.length} examples.\n`);
