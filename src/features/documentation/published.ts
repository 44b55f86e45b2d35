import { readFileSync } from 'node:fs';
import path from 'node:path';
import { apiId } from '../../platform/contract/api-id.js';
import type { Contract, ContractDocument } from '../../platform/contract/contract.js';
import { packageRoot } from '../../platform/package-root.js';
import { markdownDocuments } from './markdown/documents.js';
import { postmanCollection } from './postman/collection.js';

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

/** URLs of a server. */
interface ServerAddresses {
  /** No trailing slash. */
  readonly baseUrl: string;
  /** Prefix of problem `type` URIs; no trailing slash. */
  readonly errorsUrl: string;
}

/** Replaces the URLs in text of the contract by those of this server. */
export type Localise = (text: string) => string;

/**
 * The contract has the URLs of a local server. Published documents have the URLs of this server, so that examples work
 * as pasted.
 */
export function localiser(
  { document }: Pick<Contract, 'document'>,
  { baseUrl, errorsUrl }: ServerAddresses,
): Localise {
  const [{ url: written }] = document.servers;
  return (text) => text.replaceAll(`${written}/errors`, errorsUrl).replaceAll(written, baseUrl);
}

const workflowsFile = path.join(packageRoot, 'openapi', 'v1.arazzo.yaml');

/** The documents that this server publishes. */
export interface PublishedContract {
  readonly yaml: string;
  readonly json: string;
  /** In OpenAPI 3.0, as JSON. */
  readonly olderJson: string;
  /** Common uses of the API, as an Arazzo document. */
  readonly workflows: string;
  /** The operations for Postman, written when they are requested. */
  readonly postman: () => string;
  /** Documents in Markdown by path, written when they are requested. */
  readonly markdown: ReadonlyMap<string, () => string>;
}

/** Adds the URLs and the contact of this server to the contract, and omits `x-server`. */
export function publish(
  contract: Contract,
  config: ServerAddresses & { readonly apiContactUrl: string | undefined },
): PublishedContract {
  const { yaml, document } = contract;
  const localise = localiser(contract, config);
  const { apiContactUrl: url } = config;
  const added = { 'x-api-id': apiId, ...(url !== undefined && { contact: { url } }) };
  const published = { ...document, info: { ...document.info, ...added }, paths: publishedPaths(document) };
  // Inserted as JSON, which is valid YAML, so that the comments and the formatting of the file are kept.
  const lines = Object.entries(added).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
  return {
    yaml: localise(
      yaml.replace(/^ +x-server: .*\n/gm, '').replace(/^info:\n/m, (info) => `${info}${lines.join('')}`),
    ),
    json: localise(JSON.stringify(published)),
    olderJson: localise(JSON.stringify(toOpenapi30(published))),
    workflows: localise(readFileSync(workflowsFile, 'utf8')),
    postman: () => localise(JSON.stringify(postmanCollection(contract), null, 2)),
    markdown: new Map(
      [...markdownDocuments(contract)].map(([name, write]) => [name, () => localise(write())] as const),
    ),
  };
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
