import type { Contract } from './contract.js';
import { toOpenapi30 } from './openapi-3-0.js';

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

/** Identifies this API in catalogues, independent of its URL. */
const apiId = '5f0d3a86-9c1e-4e0b-8a57-2b6d41c7f9e3';

/** The documents that this server publishes. */
export interface PublishedContract {
  readonly yaml: string;
  readonly json: string;
  /** In OpenAPI 3.0, as JSON. */
  readonly olderJson: string;
}

/** Adds the URLs and the contact of this server to the contract. */
export function publish(
  { yaml, document }: Pick<Contract, 'yaml' | 'document'>,
  config: ServerAddresses & { readonly apiContactUrl: string | undefined },
): PublishedContract {
  const localise = localiser({ document }, config);
  const { apiContactUrl: url } = config;
  const added = { 'x-api-id': apiId, ...(url !== undefined && { contact: { url } }) };
  const published = { ...document, info: { ...document.info, ...added } };
  // Inserted as JSON, which is valid YAML, so that the comments and the formatting of the file are kept.
  const lines = Object.entries(added).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
  return {
    yaml: localise(yaml.replace(/^info:\n/m, (info) => `${info}${lines.join('')}`)),
    json: localise(JSON.stringify(published)),
    olderJson: localise(JSON.stringify(toOpenapi30(published))),
  };
}
