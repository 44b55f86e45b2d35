import type { ContractDocument } from '../../platform/contract/document.js';

/** Members whose value is data and not a schema. */
const dataMembers = ['default', 'enum', 'example', 'examples'];

/**
 * Converts the contract to OpenAPI 3.0, for generators that do not support 3.1. Its lint rules leave only nullable types,
 * the license and webhooks to convert.
 *
 * @throws {Error} when a type cannot be expressed in OpenAPI 3.0
 */
export function toOpenapi30(document: ContractDocument): object {
  const copy = structuredClone(document) as unknown as Draft;
  copy.openapi = '3.0.3';
  // OpenAPI 3.0 has no webhooks.
  delete copy.webhooks;
  rewriteLicense(copy.info?.license);
  rewriteTypes(copy);
  return copy;
}

interface Draft {
  openapi: string;
  webhooks?: unknown;
  readonly info?: { readonly license?: License };
}

interface License {
  identifier?: string;
  url?: string;
}

function rewriteLicense(license: License | undefined): void {
  if (license?.identifier === undefined) return;
  license.url = `https://spdx.org/licenses/${license.identifier}.html`;
  delete license.identifier;
}

function rewriteTypes(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Record<string, unknown>;
  if (Array.isArray(schema.type)) {
    const [type, ...others] = schema.type.filter((name) => name !== 'null');
    if (type === undefined || others.length > 0) {
      throw new Error(`OpenAPI 3.0 cannot say that a type is ${schema.type.join(' or ')}`);
    }
    Object.assign(schema, { type, nullable: schema.type.includes('null') });
  }
  for (const [member, value] of Object.entries(schema)) {
    if (!dataMembers.includes(member)) rewriteTypes(value);
  }
}
