import type { FastifyRequest } from 'fastify';
import { isInteger, type Operation, type Parameter } from '../../contract/contract.js';
import { pointerTo } from '../../contract/json-pointer.js';
import {
  isObjectParameter,
  memberParameter,
  pathReader,
  type ReadPath,
  shownName,
} from '../../contract/object-parameters.js';
import { isObject, isStorableText } from '../../contract/outside-text.js';
import { invalidParameter, invalidRequest } from '../../problems/invalid-request.js';
import { Problem, recordNotFound } from '../../problems/problem.js';
import { violation } from '../../problems/rule-texts.js';

/** Charsets whose bytes are UTF-8. */
const charsets: readonly string[] = ['utf-8', 'us-ascii'];

/** A parameter of a media type, whose value is a quoted string or a token. */
const parameter = /;\s*([^\s=;]+)\s*=\s*(?:"([^"]*)"|([^\s;]*))/g;

/**
 * Rejects a JSON body with a charset other than UTF-8. Call it before the body is parsed, because the parser would report
 * such a body as invalid JSON.
 *
 * @throws {Problem} 415 `unsupported_media_type`, or 400 `invalid_request` where the operation declares no 415
 * @see RFC 8259 section 8.1
 */
export function checkCharset(contentType: string | undefined, operation: Operation): void {
  const end = contentType?.indexOf(';') ?? -1;
  if (contentType === undefined || end === -1) return;
  if (contentType.slice(0, end).trim().toLowerCase() !== 'application/json') return;
  for (const [, name = '', quoted, token = ''] of contentType.matchAll(parameter)) {
    if (name.toLowerCase() !== 'charset' || charsets.includes((quoted ?? token).toLowerCase())) continue;
    throw unsupportedMediaType(operation, `The charset of a JSON body must be ${charsets.join(' or ')}.`);
  }
}

/**
 * Creates a check for errors that schemas cannot express, or that occur before Fastify applies them: an invalid
 * percent-encoding of the query string, unknown query parameters, integers in a notation other than decimal, a missing
 * body or media type, and characters that PostgreSQL cannot store. It makes one object of the parameters of its members.
 *
 * The check throws 400 `invalid_request`, 404 `not_found` or 415 `unsupported_media_type`.
 */
export function createGuard(operation: Operation): (request: FastifyRequest) => void {
  const ignoresUnknown = operation.scopes === null;
  const declared = [...operation.queryParameters.values()];
  const integers = declared.filter(({ schema }) => isInteger(schema));
  const objects = declared
    .filter(isObjectParameter)
    .map((parameter) => ({ name: parameter.name, pathOf: pathReader(parameter) }));

  return (request) => {
    // An id that cannot exist gets the same response as an unknown one.
    if (!Object.values(request.params as object).every(isStorableText)) throw recordNotFound();
    guardQueryEncoding(request.raw.url ?? '');
    const query = request.query as Record<string, unknown>;
    if (!ignoresUnknown) guardUnknownParameters(query, operation, objects);
    for (const parameter of integers) guardDecimal(parameter, query[parameter.name]);
    guardText(query, (name) => invalidParameter(name, violation('storable_text')));
    for (const object of objects) gather(query, object);
    if (operation.body !== null) guardBody(request, operation, operation.body);
    if (operation.joined !== undefined) {
      join(query, operation.joined);
      join(request.body, operation.joined);
    }
  };
}

/** Makes one value of a repeated parameter, which a schema would reject with the error of a malformed request. */
function join(values: unknown, name: string): void {
  const parameters = Object(values) as Record<string, unknown>;
  const given = parameters[name];
  if (Array.isArray(given)) parameters[name] = given.join(' ');
}

/** A parameter that is an object, each member of which is a parameter of the request. */
interface ObjectParameter {
  readonly name: string;
  readonly pathOf: ReadPath;
}

/**
 * Replaces the parameters for the members of an object by the object.
 *
 * @throws {Problem} 400 `invalid_request` for a value and a range of the same member
 */
function gather(query: Record<string, unknown>, { name, pathOf }: ObjectParameter): void {
  const members = new Map<string, unknown>();
  for (const [parameter, value] of Object.entries(query)) {
    const [member, bound] = pathOf(parameter) ?? [];
    if (member === undefined) continue;
    delete query[parameter];
    const range = members.get(member);
    if (members.has(member) && (bound === undefined || !isObject(range))) {
      const other = memberParameter(name, [member, bound ?? Object.keys(Object(range))[0] ?? '']);
      throw invalidParameter(memberParameter(name, [member]), violation('not_with', { other }));
    }
    members.set(member, bound === undefined ? value : { ...(range ?? {}), [bound]: value });
  }
  if (members.size > 0) query[name] = Object.fromEntries(members);
}

/** The router matches `/v1/employees/` as an employee with an empty id; the contract has no such path. */
export function hasEmptyParameter({ params }: FastifyRequest): boolean {
  return Object.values(params as object).includes('');
}

function guardQueryEncoding(url: string): void {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return;
  try {
    decodeURIComponent(url.slice(start + 1));
  } catch {
    throw new Problem('invalid_request', 'The query string must be percent-encoded UTF-8.');
  }
}

/** Characters of an unknown name that are repeated in the error. */
const maximumEcho = 100;

function guardUnknownParameters(
  query: Record<string, unknown>,
  operation: Operation,
  objects: readonly ObjectParameter[],
): void {
  const isKnown = (parameter: string) =>
    objects.some(({ pathOf }) => pathOf(parameter) !== undefined) ||
    (operation.queryParameters.has(parameter) && !objects.some(({ name }) => name === parameter));
  const unknown = Object.keys(query).filter((name) => !isKnown(name));
  if (unknown.length > 0) throw unknownParameters(unknown, operation);
}

/** 400 `invalid_request` for parameters that an operation does not have. */
export function unknownParameters(
  unknown: readonly string[],
  { queryParameters }: Pick<Operation, 'queryParameters'>,
): Problem {
  const error = violation('known_parameter', { values: [...queryParameters.values()].map(shownName) });
  return invalidRequest(
    unknown.map((name) => ({ place: { parameter: name.slice(0, maximumEcho) }, violation: error })),
    { summarize: (count) => `The request has ${count} unknown query parameters.` },
  );
}

/**
 * Rejects notations that the coercion of the validator accepts, such as `0x10`, `1e1` and padded numbers, and numbers so
 * long that they become `Infinity`, which the validator compares with no bound.
 */
function guardDecimal({ name, schema }: Parameter, value: unknown): void {
  if (typeof value === 'string' && !/^-?(0|[1-9]\d{0,15})$/.test(value)) {
    const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
    throw invalidParameter(name, violation('type', { types: ['integer'], minimum, maximum }));
  }
}

function guardBody(
  request: FastifyRequest,
  operation: Operation,
  body: NonNullable<Operation['body']>,
): void {
  const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (request.body === undefined && mediaType === '') {
    if (body.required)
      throw new Problem('invalid_request', `A body of type ${body.mediaTypes[0]} is required.`);
    return;
  }
  if (!body.mediaTypes.includes(mediaType)) {
    throw unsupportedMediaType(operation);
  }
  const form = mediaType === 'application/x-www-form-urlencoded';
  guardText(request.body, (name, pointer) => {
    if (form) return invalidParameter(name, violation('storable_text'));
    return invalidRequest([{ place: { pointer }, violation: violation('storable_text') }]);
  });
}

/** 415 `unsupported_media_type`, or 400 `invalid_request` for operations without 415 (the OAuth endpoints). */
export function unsupportedMediaType(
  operation: Operation,
  detail = `The content type must be ${operation.body?.mediaTypes.join(' or ')}.`,
): Problem {
  return new Problem(operation.responses.has(415) ? 'unsupported_media_type' : 'invalid_request', detail);
}

/** Maximum depth of a body. No schema of the contract is deeper, and the check is recursive. */
const maximumDepth = 32;

/**
 * Maximum number of items of an array. No schema of the contract allows more, and the validator reports each invalid item.
 */
const maximumItems = 1_000;

function guardText(
  value: unknown,
  toProblem: (name: string, pointer: string) => Problem,
  path: string[] = [],
): void {
  const pointer = () => path.map(pointerTo).join('');
  if (typeof value === 'string') {
    if (!isStorableText(value)) throw toProblem(path[0] ?? '', pointer());
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length === maximumDepth) {
    throw new Problem('invalid_request', `The body is nested deeper than ${maximumDepth} levels.`);
  }
  if (Array.isArray(value) && value.length > maximumItems) {
    const error = violation('maximum_length', { maximum: maximumItems, of: 'item' });
    throw invalidRequest([{ place: { pointer: pointer() }, violation: error }]);
  }
  for (const [key, member] of Object.entries(value)) {
    if (!isStorableText(key)) throw toProblem('Each name', `${pointer()}/?`);
    guardText(member, toProblem, [...path, key]);
  }
}
