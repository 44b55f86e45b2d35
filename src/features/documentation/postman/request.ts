import type { Contract, Operation } from '../../../platform/contract/contract.js';
import type { DocumentLinks } from '../reference/links.js';
import { type DocumentedParameter, exampleBody, parametersOf, rawOperation } from '../reference/nodes.js';
import type { Authorizations } from './authorization.js';
import { responsesOf } from './responses.js';
import { scriptsOf } from './scripts.js';
import { jsonWith, type Variables, variableOr } from './variables.js';

/** The parts of a collection that its requests need. */
export interface RequestContext {
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
    parameters.filter((parameter) => parameter.in === place).map((parameter) => toValue(parameter, context));
  const body = raw.requestBody === undefined ? undefined : bodyOf(raw.requestBody, context);
  const auth = authorizations.of(operation);
  const request = {
    method: operation.method,
    description: links.relink(raw.description ?? ''),
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

/** A parameter with the value of its example. Optional ones are disabled, because not all of them fit together. */
function toValue(
  { name, required = false, description, example }: DocumentedParameter,
  { links, variables }: RequestContext,
): Value {
  return {
    key: name,
    value: variableOr(variables, name, example),
    description: links.relink(description),
    ...(!required && { disabled: true }),
  };
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
  const { mediaType, value } = exampleBody(contract, given);
  const header: readonly Value[] = [{ key: 'Content-Type', value: mediaType }];
  if (mediaType !== 'application/x-www-form-urlencoded') {
    const raw = jsonWith(variables, value);
    return { header, content: { mode: 'raw', raw, options: { raw: { language: 'json' } } } };
  }
  const urlencoded = Object.entries(value as object).map(([key, field]) => ({
    key,
    value: variableOr(variables, key, field),
    // Without it, a token has every scope of the application.
    ...(key === 'scope' && { disabled: true }),
  }));
  return { header, content: { mode: 'urlencoded', urlencoded } };
}
