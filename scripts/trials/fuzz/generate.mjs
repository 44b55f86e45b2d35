import { createRandom } from '../random.mjs';
import { makeForm } from './forms.mjs';
import { hostileBodies, hostileEscapes, hostileTexts } from './hostile.mjs';
import { schemaValues } from './schema-values.mjs';

const wrongMediaTypes = ['text/plain', 'application/xml', 'multipart/form-data', '', 'x'];

/**
 * @typedef {object} Fuzzed
 * @property {import('./contract.mjs').FuzzedOperation} operation
 * @property {object} request for {@link Client.send}
 * @property {string | undefined} mustRefuse why no such request may be carried out
 */

/**
 * Makes the request with this number. It follows from the seed alone, except for what the server issued.
 *
 * @param {{ operations: object[], resolve: Function, state: import('./state.mjs').State, seed: number }} scene
 * @param {number} number
 * @returns {Fuzzed}
 */
export function generate({ operations, resolve, state, seed }, number) {
  const random = createRandom(seed * 31 + number);
  const values = schemaValues({ resolve, random });
  const operation = operations[number % operations.length];
  const mood = random.weighted({ valid: 5, mutated: 4, lost: 1 });
  const made = { operation, random, values, state, mood, headers: {}, mustRefuse: undefined };
  authenticate(made);
  const path = `${pathOf(made)}${queryOf(made)}`;
  parameterHeaders(made);
  const body = bodyOf(made);
  let method = operation.method;
  if (method === 'GET' && random.chance(0.05)) method = 'HEAD';
  const request = { method, path, headers: { host: 'api.bench', ...made.headers }, body };
  if (mood === 'lost') lose(request, random);
  if (random.chance(0.05)) request.headers['x-request-id'] = headerText(random.pick(hostileTexts)) || 'x';
  if (random.chance(0.1)) {
    request.headers.accept = random.pick([
      '*/*',
      'text/csv',
      'text/html',
      'application/problem+json',
      'x',
      ';q=',
      'text/csv;q=0',
    ]);
  }
  // A request that is for another operation now is judged by what that one says.
  return { operation, request, mustRefuse: mood === 'lost' ? undefined : made.mustRefuse };
}

function authenticate(made) {
  const { operation, random, state, headers } = made;
  if (operation.scopes === null) return;
  const kind = random.weighted({ good: 14, bad: 4, readOnly: 1, foreign: 1 });
  Object.assign(headers, random.pick(state.bearers[kind]));
  if (kind === 'bad') made.mustRefuse = 'its token is not good';
  const writes = operation.scopes.some((scope) => scope.endsWith(':write'));
  if (writes && (kind === 'readOnly' || kind === 'foreign')) made.mustRefuse = 'its token may only read';
}

function pathOf({ operation, random, state, mood }) {
  return operation.path.replace(/\{(\w+)\}/, (_, name) => {
    if (mood === 'mutated' && random.chance(0.3)) {
      return random.chance(0.5)
        ? random.pick(hostileEscapes)
        : encode(random.pick(hostileTexts)) || 'unknown';
    }
    return state.idFor(name, random);
  });
}

function queryOf(made) {
  const { operation, random, values, mood, state } = made;
  const pairs = [];
  for (const { in: place, name, required, schema } of operation.parameters) {
    if (place !== 'query' || !(random.chance(0.25) || (required && random.chance(0.95)))) continue;
    let value = encode(state.parameterFor(operation.id, name, random) ?? String(values.valid(schema)));
    if (mood === 'mutated' && random.chance(0.4)) {
      value = random.chance(0.3) ? random.pick(hostileEscapes) : encode(random.pick(hostileTexts));
    }
    const written = random.chance(0.5) ? name : encodeURIComponent(name);
    pairs.push(`${written}=${value}`);
    if (mood === 'mutated' && random.chance(0.1)) pairs.push(`${written}=${value}`);
  }
  if (mood === 'mutated' && random.chance(0.1)) {
    pairs.push(random.pick(['colour=red', 'page%5B%5D=1', 'page=1', '__proto__=1', 'page[__proto__]=1']));
    if (operation.scopes !== null) made.mustRefuse ??= 'it has a parameter that nobody knows';
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function parameterHeaders({ operation, random, values, mood, state, headers }) {
  for (const { in: place, name, schema } of operation.parameters) {
    if (place !== 'header' || random.chance(0.5)) continue;
    headers[name] =
      mood === 'mutated' && random.chance(0.4)
        ? headerText(random.pick(hostileTexts))
        : (state.headerFor(name, random) ?? values.valid(schema));
  }
}

function bodyOf(made) {
  const { operation, random, values, mood, headers } = made;
  if (operation.body === undefined) return undefined;
  headers['content-type'] = operation.body.mediaType;
  if (operation.body.mediaType !== 'application/json') return makeForm(made);
  let value = values.valid(operation.body.schema);
  if (mood === 'mutated' && random.chance(0.6)) value = values.mutated(value);
  let text = JSON.stringify(value);
  if (mood === 'mutated' && random.chance(0.15)) text = random.pick(hostileBodies);
  if (mood === 'mutated' && random.chance(0.1)) {
    headers['content-type'] = random.pick(wrongMediaTypes);
    made.mustRefuse ??= 'its media type is none that is taken';
  }
  // JSON has no charset: one that is given says nothing.
  if (mood === 'mutated' && random.chance(0.03)) headers['content-type'] += '; charset=utf-16';
  if (mood === 'mutated' && random.chance(0.03)) headers['content-encoding'] = 'gzip';
  if (!operation.body.accepts(parse(text))) made.mustRefuse ??= 'the contract does not allow its body';
  return text;
}

/** Turns a request into one that most likely has no route. */
function lose(request, random) {
  const act = random.upTo(5);
  if (act === 0)
    request.method = random.pick(['PUT', 'DELETE', 'PATCH', 'POST', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']);
  else if (act === 1)
    request.path = request.path.replace(
      '/v1/',
      random.pick(['/v2/', '/V1/', '/', '//v1/', '/v1//', '/v1/./']),
    );
  else if (act === 2) request.path = request.path.replace(/(\?|$)/, '/$1');
  else if (act === 3) request.path += random.pick(['#x', '?', '??', '&', ';x=1', '/..', '%2f']);
  else request.path = `/${random.pick(hostileEscapes)}${request.path}`;
}

function parse(text) {
  try {
    // A mark of the byte order may be passed over (RFC 8259, section 8.1).
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

function encode(text) {
  return encodeURIComponent(text.toWellFormed?.() ?? text.replaceAll('\ud800', ''));
}

/** What can stand in a header as one line. */
function headerText(text) {
  return text.replaceAll(/[\r\n\0]/g, ' ').replaceAll(/[^ -\u00ff]/g, '?');
}
