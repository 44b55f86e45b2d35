import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { OperationId } from '../../src/platform/contract/contract.js';
import { packageRoot } from '../../src/platform/package-root.js';
import { contract } from '../support/server/app.js';
import t from '../support/tap.js';

interface Workflow {
  readonly steps: readonly { readonly stepId: string; readonly operationId?: string }[];
}

const file = path.join(packageRoot, 'openapi', 'v1.arazzo.yaml');
const { workflows } = parse(readFileSync(file, 'utf8')) as { workflows: readonly Workflow[] };

t.test('every operation of the contract is part of a workflow', async (t) => {
  const used = new Set(workflows.flatMap(({ steps }) => steps.map(({ operationId }) => operationId)));
  for (const id of contract.operations.keys()) t.ok(used.has(id), id);
});

t.test('every step has an operation of the contract, as Arazzo requires', async (t) => {
  for (const { stepId, operationId = '' } of workflows.flatMap(({ steps }) => steps)) {
    t.ok(contract.operations.has(operationId as OperationId), `${stepId}: ${operationId}`);
  }
});
