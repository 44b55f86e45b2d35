import { hostileBodies, hostileEscapes, hostileTexts } from '../../../../test/support/fuzz/hostile-values.js';
import type { FuzzedOperation, Resolve } from '../../../../test/support/fuzz/operations.js';
import { type SchemaValues, schemaValues } from '../../../../test/support/fuzz/schema-values.js';
import { createRandom, type Random } from '../../../../test/support/input/random.js';
import type { HttpRequest } from '../../kit/http/client.js';
import { createForm } from './forms.js';
import type { State } from './state.js';

const wrongMediaTypes = ['text/plain', 'application/xml', 'multipart/form-data', '', 'x'];
const acceptValues = ['*/*', 'text/csv', 'text/html', 'application/problem+json', 'x', ';q=', 'text/csv;q=0'];
const otherMethods = ['PUT', 'DELETE', 'PATCH', 'POST', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];

export interface FuzzSource {
  readonly operations: readonly FuzzedOperation[];
  readonly resolve: Resolve;
  readonly state: State;
  readonly seed: number;
}

/** A request under construction. */
export interface Draft {
  readonly operation: FuzzedOperation;
  readonly random: Random;
  readonly values: SchemaValues;
  readonly state: State;
  /** Whether all values are valid, some are not, or the request matches no operation. */
  readonly kind: 'valid' | 'mutated' | 'unrouted';
  readonly headers: Record<string, string>;
  /** The reason why the server must reject the request, if any. */
  mustReject: string | undefined;
}

export interface FuzzedRequest extends Pick<Draft, 'operation' | 'mustReject'> {
  readonly request: Required<Omit<HttpRequest, 'body' | 'timeoutMs'>> & { body: string | undefined };
}

/** Creates the request with this number. It is determined by the seed, except for values that the server issued. */
export function generate({ operations, resolve, state, seed }: FuzzSource, number: number): FuzzedRequest {
  const random = createRandom(seed * 31 + number);
  const operation = operations[number % operations.length];
  const draft: Draft = {
    operation,
    random,
    values: schemaValues({ resolve, random }),
    state,
    kind: random.weighted({ valid: 5, mutated: 4, unrouted: 1 }),
    headers: {},
    mustReject: undefined,
  };
  const { headers } = draft;
  authenticate(draft);
  const path = `${pathOf(draft)}${queryOf(draft)}`;
  addParameterHeaders(draft);
  const body = bodyOf(draft);
  const method = operation.method === 'GET' && random.chance(0.05) ? 'HEAD' : operation.method;
  if (random.chance(0.05)) headers['x-request-id'] = headerText(random.pick(hostileTexts)) || 'x';
  if (random.chance(0.1)) headers.accept = random.pick(acceptValues);
  const routed = { method, path, headers, body };
  // The changed request may match another operation.
  return draft.kind === 'unrouted'
    ? { operation, request: { ...routed, ...unrouted(routed, random) }, mustReject: undefined }
    : { operation, request: routed, mustReject: draft.mustReject };
}

function authenticate(draft: Draft): void {
  const { operation, random, state, headers } = draft;
  if (operation.scopes === null) return;
  const token = random.weighted({ valid: 14, bad: 4, readOnly: 1, foreign: 1 });
  Object.assign(headers, random.pick(state.known.bearers[token]));
  if (token === 'bad') draft.mustReject = 'its token is invalid';
  const writes = operation.scopes.some((scope) => scope.endsWith(':write'));
  if (writes && (token === 'readOnly' || token === 'foreign')) draft.mustReject = 'its token may only read';
}

function pathOf({ operation, random, state, kind }: Draft): string {
  return operation.path.replace(/\{(\w+)\}/, (_, name: string) => {
    if (kind === 'mutated' && random.chance(0.3)) {
      return random.chance(0.5)
        ? random.pick(hostileEscapes)
        : encode(random.pick(hostileTexts)) || 'unknown';
    }
    return state.idFor(name, random);
  });
}

function queryOf(draft: Draft): string {
  const { operation, random, values, kind, state } = draft;
  const pairs: string[] = [];
  for (const { in: place, name, required, schema } of operation.parameters) {
    if (place !== 'query' || !(random.chance(0.25) || (required && random.chance(0.95)))) continue;
    let value = encode(state.parameterFor(operation.id, name, random) ?? String(values.valid(schema)));
    if (kind === 'mutated' && random.chance(0.4)) {
      value = random.chance(0.3) ? random.pick(hostileEscapes) : encode(random.pick(hostileTexts));
    }
    const written = random.chance(0.5) ? name : encodeURIComponent(name);
    pairs.push(`${written}=${value}`);
    if (kind === 'mutated' && random.chance(0.1)) pairs.push(`${written}=${value}`);
  }
  if (kind === 'mutated' && random.chance(0.1)) {
    pairs.push(random.pick(['colour=red', 'page%5B%5D=1', 'page=1', '__proto__=1', 'page[__proto__]=1']));
    if (operation.scopes !== null) draft.mustReject ??= 'it has an unknown parameter';
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function addParameterHeaders({ operation, random, kind, state, headers }: Draft): void {
  for (const { in: place, name } of operation.parameters) {
    if (place !== 'header' || random.chance(0.5)) continue;
    headers[name] =
      kind === 'mutated' && random.chance(0.4)
        ? headerText(random.pick(hostileTexts))
        : state.headerFor(name, random);
  }
}

function bodyOf(draft: Draft): string | undefined {
  const { operation, random, values, kind, state, headers } = draft;
  if (operation.body === undefined) return undefined;
  headers['content-type'] = operation.body.mediaType;
  if (operation.body.mediaType !== 'application/json') return createForm(draft);
  const isMutated = (probability: number) => kind === 'mutated' && random.chance(probability);
  let value = state.bodyFor(operation.id, values.valid(operation.body.schema), random);
  if (isMutated(0.6)) value = values.mutated(value);
  let text = JSON.stringify(value) ?? '';
  if (isMutated(0.15)) text = random.pick(hostileBodies);
  if (isMutated(0.1)) {
    headers['content-type'] = random.pick(wrongMediaTypes);
    draft.mustReject ??= 'its media type is not accepted';
  }
  // JSON has no charset parameter; the server ignores one.
  if (isMutated(0.03)) headers['content-type'] += '; charset=utf-16';
  if (isMutated(0.03)) headers['content-encoding'] = 'gzip';
  if (!operation.body.accepts(parse(text))) draft.mustReject ??= 'the contract does not allow its body';
  return text;
}

/** A change after which a request probably matches no route. */
function unrouted({ path }: { path: string }, random: Random): { method?: string; path?: string } {
  switch (random.upTo(5)) {
    case 0:
      return { method: random.pick(otherMethods) };
    case 1:
      return { path: path.replace('/v1/', random.pick(['/v2/', '/V1/', '/', '//v1/', '/v1//', '/v1/./'])) };
    case 2:
      return { path: path.replace(/(\?|$)/, '/$1') };
    case 3:
      return { path: path + random.pick(['#x', '?', '??', '&', ';x=1', '/..', '%2f']) };
    default:
      return { path: `/${random.pick(hostileEscapes)}${path}` };
  }
}

function parse(text: string): unknown {
  try {
    // A parser may ignore a byte order mark (RFC 8259, section 8.1).
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The text with replacements for characters that a header cannot contain. */
function headerText(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, ' ').replaceAll(/[^ -\u00ff]/g, '?');
}
