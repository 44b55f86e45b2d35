import { readFileSync } from 'node:fs';
import path from 'node:path';
import { contactPlaceholder } from '../../src/features/documentation/documents.js';
import {
  apiId,
  type Contract,
  type ContractDocument,
  contractFile,
} from '../../src/platform/contract/contract.js';
import { packageRoot } from '../../src/platform/package-root.js';
import { postmanCollection } from './postman/collection.js';

const workflowsFile = path.join(packageRoot, 'openapi', 'v1.arazzo.yaml');

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

/** The contract in the formats of tools, by path. It has the placeholders of the base URL and of the contact. */
export function contractDocuments(contract: Contract): Map<string, string> {
  const { document } = contract;
  const added = { 'x-api-id': apiId, contact: { url: contactPlaceholder } };
  const published = { ...document, info: { ...document.info, ...added }, paths: publishedPaths(document) };
  // Inserted as JSON, which is valid YAML, so that the comments and the formatting of the file are kept.
  const lines = Object.entries(added).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
  const yaml = readFileSync(contractFile, 'utf8')
    .replace(/^ +x-server: .*\n/gm, '')
    .replace(/^info:\n/m, (info) => `${info}${lines.join('')}`);
  return new Map([
    ['/openapi/v1.yaml', yaml],
    ['/openapi/v1.json', JSON.stringify(published)],
    ['/openapi/v1-3.0.json', JSON.stringify(toOpenapi30(published))],
    ['/openapi/v1.arazzo.yaml', readFileSync(workflowsFile, 'utf8')],
    ['/openapi/v1.postman_collection.json', JSON.stringify(postmanCollection(contract), null, 2)],
  ]);
}

/** The paths without `x-server`. */
function publishedPaths({ paths }: ContractDocument): ContractDocument['paths'] {
  const withoutServer = (member: unknown) => {
    const { 'x-server': _, ...published } = Object(member) as { readonly 'x-server'?: unknown };
    return published;
  };
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([name, member]) => [
          name,
          Array.isArray(member) ? member : withoutServer(member),
        ]),
      ),
    ]),
  );
}
