import type { Contract } from './contract.js';
import { toOpenapi30 } from './openapi-3-0.js';

/** Addresses of one server. */
export interface ServerAddresses {
  /** No trailing slash. */
  readonly baseUrl: string;
  /** Prefix of problem `type` URIs; no trailing slash. */
  readonly errorsUrl: string;
}

/** Rewrites text that was made from the contract, so that its addresses are those of this server. */
export type Localise = (text: string) => string;

/**
 * The contract is written for a server on the reader's own machine. What this server publishes of it names this
 * server instead, so that every line of it works as pasted.
 */
export function localiser(
  { document }: Pick<Contract, 'document'>,
  { baseUrl, errorsUrl }: ServerAddresses,
): Localise {
  const [{ url: written }] = document.servers;
  return (text) => text.replaceAll(`${written}/errors`, errorsUrl).replaceAll(written, baseUrl);
}

/** Identifies this API in catalogues, at whatever address it runs. */
const apiId = '5f0d3a86-9c1e-4e0b-8a57-2b6d41c7f9e3';

/** The contract as this server publishes it. */
export interface PublishedContract {
  readonly yaml: string;
  readonly json: string;
  /** In OpenAPI 3.0, as JSON. */
  readonly olderJson: string;
}

/** Adds to the contract what only the operator of a server knows: its addresses and a contact. */
export function publish(
  { yaml, document }: Pick<Contract, 'yaml' | 'document'>,
  config: ServerAddresses & { readonly apiContactUrl: string | undefined },
): PublishedContract {
  const localise = localiser({ document }, config);
  const { apiContactUrl: url } = config;
  const added = { 'x-api-id': apiId, ...(url !== undefined && { contact: { url } }) };
  const published = { ...document, info: { ...document.info, ...added } };
  // JSON is YAML: the comments and the formatting of the rest of the file stay.
  const lines = Object.entries(added).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
  return {
    yaml: localise(yaml.replace(/^info:\n/m, (info) => `${info}${lines.join('')}`)),
    json: localise(JSON.stringify(published)),
    olderJson: localise(JSON.stringify(toOpenapi30(published))),
  };
}
