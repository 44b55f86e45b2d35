import { type Contract, resolve } from '../contract.js';
import type { DocumentedParameter, Example } from '../reference/nodes.js';

/** The variables of the collection with their initial values. */
export interface Variables {
  readonly base_url: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly redirect_uri: string;
}

/** The variables with the application of the demo data, whose requests are the examples of the contract. */
export function variablesOf({ document }: Contract): Variables {
  const at = <Node>(kind: string, name: string) =>
    resolve<Node>(document, { $ref: `#/components/${kind}/${name}` });
  const { value } = at<Example>('examples', 'ClientCredentialsTokenRequestExample');
  const { client_id, client_secret } = value as Pick<Variables, 'client_id' | 'client_secret'>;
  const { example } = at<DocumentedParameter>('parameters', 'RedirectUri');
  return { base_url: document.servers[0].url, client_id, client_secret, redirect_uri: String(example) };
}

/** The reference to a variable, for a field with its name; otherwise the value. */
export function variableOr(variables: Variables, name: string, value: unknown): string {
  if (Object.hasOwn(variables, name)) return `{{${name}}}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
