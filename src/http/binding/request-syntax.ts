import type { FastifyRequest } from 'fastify';
import type { Operation } from '../../contract/contract.js';
import type { JsonSchema, Parameter } from '../../contract/document.js';
import { isStorableText } from '../../contract/storable-text.js';
import { maximumErrors } from '../../problems/invalid-request.js';
import { invalidParameter, Problem, recordNotFound } from '../../problems/problem.js';

/**
 * Refuses what schemas cannot see, or what Fastify passes by before it applies them: a query string that is
 * not percent-encoded text, unknown query parameters, numbers in another notation than decimal, a missing or
 * mistyped body, and characters that no database text can hold.
 */
export function createGuard(operation: Operation): (request: FastifyRequest) => void {
  const ignoresUnknown = operation.scopes === null;
  const integers = [...operation.queryParameters.values()].filter(({ schema }) => isInteger(schema));

  return (request) => {
    // An id that no record can have is answered like one that none has.
    if (!Object.values(request.params as object).every(isStorableText)) throw recordNotFound();
    guardQueryEncoding(request.raw.url ?? '');
    const query = request.query as Record<string, unknown>;
    if (!ignoresUnknown) guardUnknownParameters(query, operation);
    for (const parameter of integers) guardDecimal(parameter, query[parameter.name]);
    guardText(query, (name) => invalidParameter(name, 'must not contain NUL or broken characters'));
    if (operation.body !== null) guardBody(request, operation, operation.body);
  };
}

/** The router takes `/v1/employees/` for an employee without an id; the contract knows no such path. */
export function hasEmptyParameter({ params }: FastifyRequest): boolean {
  return Object.values(params as object).includes('');
}

function isInteger({ type }: JsonSchema): boolean {
  return [type].flat().includes('integer');
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

/** A refusal repeats no more of a name than this: it is there to be recognised. */
const maximumEcho = 100;

function guardUnknownParameters(query: Record<string, unknown>, { queryParameters }: Operation): void {
  const unknown = Object.keys(query).filter((name) => !queryParameters.has(name));
  if (unknown.length === 0) return;
  const known =
    queryParameters.size === 0 ? 'it has none' : `it has ${[...queryParameters.keys()].join(', ')}`;
  const errors = unknown
    .slice(0, maximumErrors)
    .map((name) => name.slice(0, maximumEcho))
    .map((parameter) => ({
      parameter,
      detail: `${parameter} is not a query parameter of this operation; ${known}.`,
    }));
  const detail =
    errors.length === 1
      ? (errors[0]?.detail ?? '')
      : `The request has ${unknown.length} unknown query parameters.`;
  throw new Problem('invalid_request', detail, { errors });
}

/**
 * Coercion would take `0x10`, `1e1` and padded numbers as well: what a link says must have one reading. It makes
 * infinity of hundreds of digits, which the validator then compares with no bound.
 */
function guardDecimal({ name, schema }: Parameter, value: unknown): void {
  if (typeof value === 'string' && !/^-?(0|[1-9]\d{0,15})$/.test(value)) {
    throw invalidParameter(name, `must be a whole number from ${schema.minimum} to ${schema.maximum}`);
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
  if (request.body === undefined && body.required) {
    throw new Problem('invalid_request', 'A body is required, and this one is empty.');
  }
  const form = mediaType === 'application/x-www-form-urlencoded';
  guardText(request.body, (name, pointer) => {
    if (form) return invalidParameter(name, 'must not contain NUL or broken characters');
    const detail = `${pointer} must not contain NUL or broken characters.`;
    return new Problem('invalid_request', detail, { errors: [{ pointer, detail }] });
  });
}

/** 415, or 400 where the contract has no 415 for the operation (the OAuth endpoints). */
export function unsupportedMediaType(
  operation: Operation,
  detail = `The content type must be ${operation.body?.mediaTypes.join(' or ') ?? 'left out'}.`,
): Problem {
  return new Problem(operation.responses.has(415) ? 'unsupported_media_type' : 'invalid_request', detail);
}

/** Deeper bodies than this mean nothing in the contract, and would cost stack to look at. */
const maximumDepth = 32;

/** More than any list of the contract has. The validator reports each wrong item, which takes time for 30,000 of them. */
const maximumItems = 1_000;

function guardText(
  value: unknown,
  toProblem: (name: string, pointer: string) => Problem,
  path: string[] = [],
): void {
  const pointer = () => path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  if (typeof value === 'string') {
    if (!isStorableText(value)) throw toProblem(path.at(-1) ?? '', pointer());
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length === maximumDepth) {
    throw new Problem('invalid_request', `The body is nested deeper than ${maximumDepth} levels.`);
  }
  if (Array.isArray(value) && value.length > maximumItems) {
    const detail = `${pointer()} must have at most ${maximumItems} items.`;
    throw new Problem('invalid_request', detail, { errors: [{ pointer: pointer(), detail }] });
  }
  for (const [key, member] of Object.entries(value)) {
    if (!isStorableText(key)) throw toProblem('A member name', `${pointer()}/?`);
    guardText(member, toProblem, [...path, key]);
  }
}
