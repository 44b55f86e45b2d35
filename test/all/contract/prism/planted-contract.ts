import { type JsonSchema, resolve } from '../../../../src/platform/contract/contract.js';
import { contract } from '../../../support/server/app.js';

interface Node {
  readonly schema?: unknown;
  readonly [member: string]: unknown;
}

/** The contract with a keyword in the schema of each parameter and body that no request or response satisfies. */
export function plantDemands(): object {
  const document = structuredClone(contract.document);
  visit(document, ({ schema }) => {
    if (schema === undefined) return;
    const target = resolve<{ required?: string[] } & Omit<JsonSchema, 'required'>>(document, schema);
    if (target.type === 'object')
      Object.assign(target, { required: [...new Set(target.required).add('planted')] });
    else Object.assign(target, { enum: ['planted'] });
  });
  return document;
}

function visit(node: unknown, plant: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  plant(node as Node);
  for (const child of Object.values(node)) visit(child, plant);
}
