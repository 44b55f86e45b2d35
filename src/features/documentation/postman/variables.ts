import { type Contract, type Operation, resolve } from '../../../platform/contract/contract.js';
import { type DocumentedParameter, type Example, parametersOf } from '../reference/nodes.js';

/** The variables of the collection with their initial values. */
export type Variables = Readonly<Record<string, string>>;

/**
 * The variables with the application of the demo data, whose requests are the examples of the contract, and the variables
 * that requests set: the token, its scopes and ids of records.
 */
export function variablesOf(contract: Contract): Variables {
  const { document, operations } = contract;
  const at = <Node>(kind: string, name: string) =>
    resolve<Node>(document, { $ref: `#/components/${kind}/${name}` });
  const { value } = at<Example>('examples', 'ClientCredentialsTokenRequestExample');
  const { client_id, client_secret } = value as { client_id: string; client_secret: string };
  const { example } = at<DocumentedParameter>('parameters', 'RedirectUri');
  return {
    ...{ base_url: document.servers[0].url, client_id, client_secret, redirect_uri: String(example) },
    ...{ access_token: '', granted_scope: '' },
    ...Object.fromEntries([...operations.values()].flatMap((operation) => idsOf(contract, operation))),
  };
}

/** The path parameters of an operation and their examples. */
function idsOf(contract: Contract, operation: Operation): [name: string, id: string][] {
  return parametersOf(contract, operation)
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, example }) => [name, String(example)]);
}

/** JSON in which the variables replace the ids of records. */
export function jsonWith(variables: Variables, body: unknown): string {
  const replace = (_key: string, value: unknown) => {
    const [name] = Object.entries(variables).find(([, initial]) => initial !== '' && initial === value) ?? [];
    return name === undefined ? value : `{{${name}}}`;
  };
  return JSON.stringify(body, replace, 2);
}

/** The reference to a variable, for a field with its name; otherwise the value. */
export function variableOr(variables: Variables, name: string, value: unknown): string {
  if (Object.hasOwn(variables, name)) return `{{${name}}}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
