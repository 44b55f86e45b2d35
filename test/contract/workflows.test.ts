import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../src/package-root.js';
import { contract } from '../support/server/app.js';
import t from '../support/tap.js';

interface Workflow {
  readonly steps: readonly { readonly operationId?: string }[];
}

const file = path.join(packageRoot, 'openapi', 'v1.arazzo.yaml');
const { workflows } = parse(readFileSync(file, 'utf8')) as { workflows: readonly Workflow[] };

t.test('every operation of the contract is part of a workflow', async (t) => {
  const used = new Set(workflows.flatMap(({ steps }) => steps.map(({ operationId }) => operationId)));
  for (const id of contract.operations.keys()) t.ok(used.has(id), id);
});
