import { type Contract, isRequired, type Operation } from '../../../src/platform/contract/contract.js';
import { type DocumentedParameter, exampleBody, parametersOf, rawOperation } from '../reference/nodes.js';
import { type Result, resultOf } from './result.js';

const contentTypes: Readonly<Record<SampleBody['kind'], string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
};

/**
 * The headers of a request in the usual case, with `Content-Type`.
 *
 * @param implied bodies whose `Content-Type` the library of the language sets
 */
export function headersOf({ headers, body }: SampleRequest, implied?: SampleBody['kind']): Field[] {
  const isStated = body !== null && body.kind !== implied;
  const type: Field[] = isStated ? [['Content-Type', [contentTypes[body.kind]]]] : [];
  return [...headers, ...type].map(([name, value]) => [headerCase(name), value]);
}

function headerCase(name: string): string {
  return name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** A value that is known when the sample runs. */
export type Variable =
  /** An environment variable. */
  | { readonly environment: string }
  | { readonly computed: 'unique' | 'code_challenge' }
  /** A variable of the program. */
  | { readonly local: string };

export type Part = string | Variable;

/** A text that is composed when the sample runs. */
export type Text = readonly Part[];

/** The text with adjacent strings joined. */
export function joined(text: Text): Text {
  const parts: Part[] = [];
  for (const part of text) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts.splice(-1, 1, `${last}${part}`);
    else parts.push(part);
  }
  return parts;
}

/** A named text of a query, of a form or of the headers. */
export type Field = readonly [name: string, value: Text];

/** The body of a request. */
export type SampleBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'form'; readonly fields: readonly Field[] };

/** The request that the samples of an operation send, in no programming language. */
export interface SampleRequest {
  readonly method: string;
  /** URL without a query. */
  readonly url: Text;
  readonly query: readonly Field[];
  /** Without `Content-Type`, which the body implies. */
  readonly headers: readonly Field[];
  readonly body: SampleBody | null;
  /** The output of the samples. */
  readonly result: Result;
}

/** Optional parameters that samples show, because most clients should send them. */
const recommended = new Set([
  ...['page[size]', 'sort', 'idempotency-key'],
  // Of a sign-out.
  ...['client_id', 'post_logout_redirect_uri', 'state'],
]);

/** Values that are not those of the example. */
const otherValues: Readonly<Record<string, Variable>> = {
  token: { environment: 'TOKEN' },
  state: { computed: 'unique' },
  code_challenge: { computed: 'code_challenge' },
  'idempotency-key': { computed: 'unique' },
};

/** Whether a value of the query, the headers or the form is computed in this way. */
export function computes(
  { headers, query, body }: SampleRequest,
  computed: 'unique' | 'code_challenge',
): boolean {
  const form = body?.kind === 'form' ? body.fields : [];
  return [...headers, ...query, ...form]
    .flatMap(([, value]) => value)
    .some((part) => typeof part === 'object' && 'computed' in part && part.computed === computed);
}

/** Describes the request: required and recommended parameters, and the first example of the body. */
export function requestOf(contract: Contract, operation: Operation): SampleRequest {
  const { document } = contract;
  const raw = rawOperation(contract, operation);
  const shown = parametersOf(contract, operation).filter(
    (parameter) => isRequired(parameter) || recommended.has(parameter.name),
  );
  const fieldsIn = (place: DocumentedParameter['in']) =>
    shown.filter((parameter) => parameter.in === place).map(({ name, example }) => field(name, example));
  const authorization: Field = ['Authorization', ['Bearer ', { environment: 'TOKEN' }]];
  return {
    method: operation.method,
    url: urlOf(`${document.servers[0].url}${operation.path}`),
    query: fieldsIn('query'),
    headers: [...(operation.scopes === null ? [] : [authorization]), ...fieldsIn('header')],
    body: raw.requestBody === undefined ? null : bodyOf(contract, raw.requestBody),
    result: resultOf(contract, operation),
  };
}

function field(name: string, example: unknown): Field {
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  return [name, [otherValues[name] ?? text]];
}

/** Identifiers are read from the environment: `{report_id}` from `REPORT_ID`. */
function urlOf(template: string): Text {
  return template
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? { environment: part.slice(1, -1).toUpperCase() } : part));
}

function bodyOf(contract: Contract, given: unknown): SampleBody {
  const { mediaType, value } = exampleBody(contract, given);
  if (mediaType !== 'application/x-www-form-urlencoded') return { kind: 'json', value };
  return { kind: 'form', fields: Object.entries(value as object).map(([name, text]) => field(name, text)) };
}
