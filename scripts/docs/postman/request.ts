import { STATUS_CODES } from 'node:http';
import {
  type Contract,
  isRequired,
  type Operation,
  resolve,
} from '../../../src/platform/contract/contract.js';
import { isObjectParameter, memberParameters } from '../../../src/platform/contract/object-parameters.js';
import type { DocumentLinks } from '../reference/links.js';
import {
  type DocumentedOperation,
  type DocumentedParameter,
  type DocumentedResponse,
  type Example,
  exampleBody,
  parametersOf,
  rawOperation,
} from '../reference/nodes.js';
import type { Authorizations } from './authorization.js';
import { scriptsOf } from './scripts.js';

/** The examples of successful responses. Those of errors are in the catalogue of errors. */
function responsesOf({ document }: Contract, { responses }: DocumentedOperation): object[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, given]) => {
      const { content = {} } = resolve<DocumentedResponse>(document, given);
      return Object.entries(content).flatMap(([mediaType, { examples = {} }]) =>
        Object.entries(examples).map(([name, example]) => {
          const { summary = name, value } = resolve<Example>(document, example);
          return {
            name: summary,
            status: STATUS_CODES[status],
            code: Number(status),
            header: [{ key: 'Content-Type', value: mediaType }],
            body: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
            ...(mediaType === 'application/json' && { _postman_previewlanguage: 'json' }),
          };
        }),
      );
    });
}

/** The variables of the collection with their initial values. */
type Variables = Readonly<Record<string, string>>;

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
function jsonWith(variables: Variables, body: unknown): string {
  const replace = (_key: string, value: unknown) => {
    const [name] = Object.entries(variables).find(([, initial]) => initial !== '' && initial === value) ?? [];
    return name === undefined ? value : `{{${name}}}`;
  };
  return JSON.stringify(body, replace, 2);
}

/** The reference to a variable, for a field with its name; otherwise the value. */
function variableOr(variables: Variables, name: string, value: unknown): string {
  if (Object.hasOwn(variables, name)) return `{{${name}}}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The parts of a collection that its requests need. */
interface RequestContext {
  readonly contract: Contract;
  readonly links: DocumentLinks;
  readonly variables: Variables;
  readonly authorizations: Authorizations;
}

/** The request of an operation. */
export function requestItem(operation: Operation, context: RequestContext): object {
  const { contract, links, authorizations } = context;
  const raw = rawOperation(contract, operation);
  const parameters = parametersOf(contract, operation);
  const valuesIn = (place: DocumentedParameter['in']) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .flatMap((parameter) => toValues(parameter, context));
  const body = raw.requestBody === undefined ? undefined : bodyOf(raw.requestBody, context);
  const auth = authorizations.of(operation);
  const request = {
    method: operation.method,
    description: links.rewriteLinks(raw.description ?? ''),
    ...(auth !== undefined && { auth }),
    url: urlOf(operation, { query: valuesIn('query'), variable: valuesIn('path') }),
    header: [...(body?.header ?? []), ...valuesIn('header')],
    ...(body !== undefined && { body: body.content }),
  };
  return {
    id: operation.id,
    name: raw.summary,
    event: scriptsOf(contract, operation, idsIn(request, context.variables)),
    protocolProfileBehavior: { followRedirects: false },
    request,
    response: responsesOf(contract, raw),
  };
}

/** Variables with ids of records that a request contains. */
function idsIn(request: object, variables: Variables): string[] {
  const text = JSON.stringify(request);
  const names = Object.keys(variables).filter((name) => name.endsWith('_id') && name !== 'client_id');
  return names.filter((name) => text.includes(`{{${name}}}`));
}

/**
 * A parameter with the value of its example; for an object, one for each member. Optional ones are disabled, because not all of them fit
 * together.
 */
function toValues(parameter: DocumentedParameter, { links, variables }: RequestContext): Value[] {
  const { name, description, example } = parameter;
  const fields = isObjectParameter(parameter)
    ? memberParameters(name, Object(example))
    : [[name, example] as const];
  return fields.map(([key, value]) => ({
    key,
    value: variableOr(variables, key, value),
    description: links.rewriteLinks(description),
    ...(!isRequired(parameter) && { disabled: true }),
  }));
}

interface Value {
  readonly key: string;
  readonly value: string;
  readonly description?: string;
  readonly disabled?: boolean;
}

function urlOf({ path }: Operation, given: { query: readonly Value[]; variable: readonly Value[] }): object {
  const segments = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/');
  const enabled = given.query.filter(({ disabled }) => disabled !== true);
  const query = enabled.map(({ key, value }) => `${key}=${value}`).join('&');
  return {
    raw: `{{base_url}}/${segments.join('/')}${query === '' ? '' : `?${query}`}`,
    host: ['{{base_url}}'],
    path: segments,
    ...(given.query.length > 0 && { query: given.query }),
    ...(given.variable.length > 0 && { variable: given.variable }),
  };
}

/** The first example of the body: JSON, or the fields of a form. */
function bodyOf(given: unknown, { contract, variables }: RequestContext) {
  const { mediaType, value, required } = exampleBody(contract, given);
  const header: readonly Value[] = [{ key: 'Content-Type', value: mediaType }];
  if (mediaType !== 'application/x-www-form-urlencoded') {
    const raw = jsonWith(variables, value);
    return { header, content: { mode: 'raw', raw, options: { raw: { language: 'json' } } } };
  }
  // The application of the variables is confidential.
  const credentials = { client_secret: '', ...(value as object) };
  const urlencoded = Object.entries(credentials).map(([key, field]) => ({
    key,
    value: variableOr(variables, key, field),
    // Without it, a token has every scope of the application.
    ...(key === 'scope' && !required.includes(key) && { disabled: true }),
  }));
  return { header, content: { mode: 'urlencoded', urlencoded } };
}
