import { readFileSync } from 'node:fs';
import path from 'node:path';
import { apiId } from '../../platform/contract/api-id.js';
import type { Contract } from '../../platform/contract/contract.js';
import { packageRoot } from '../../platform/package-root.js';
import { markdownDocuments } from './markdown/documents.js';
import { toOpenapi30 } from './openapi-3-0.js';
import { postmanCollection } from './postman/collection.js';

/** URLs of a server. */
export interface ServerAddresses {
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
  const published = { ...document, info: { ...document.info, ...added } };
  const text = (value: object) =>
    localise(JSON.stringify(value, (name, member) => (name === 'x-server' ? undefined : member)));
  // Inserted as JSON, which is valid YAML, so that the comments and the formatting of the file are kept.
  const lines = Object.entries(added).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
  return {
    yaml: localise(
      yaml.replace(/^ +x-server: .*\n/gm, '').replace(/^info:\n/m, (info) => `${info}${lines.join('')}`),
    ),
    json: text(published),
    olderJson: text(toOpenapi30(published)),
    workflows: localise(readFileSync(workflowsFile, 'utf8')),
    postman: () => localise(JSON.stringify(postmanCollection(contract), null, 2)),
    markdown: new Map(
      [...markdownDocuments(contract)].map(([name, write]) => [name, () => localise(write())] as const),
    ),
  };
}
