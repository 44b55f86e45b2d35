import type { InjectOptions } from 'fastify';
import { isStorableText } from '../../platform/contract/storable-text.js';
import { invalidParameter, invalidRequest } from '../../platform/problems/invalid-request.js';
import { type Problem, recordNotFound } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';
import { bodyArgument } from './input-schema.js';
import type { OperationTool } from './tools.js';

/** Arguments of a tool call, as the client sent them. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** Method, URL, headers and body of the request of a tool call. */
export type ToolRequest = Required<Pick<InjectOptions, 'method' | 'url'>> & {
  readonly headers: Record<string, string>;
  readonly payload?: string;
};

/**
 * Builds the request of a tool call. Values are checked by the operation, like those of any request.
 *
 * @throws {Problem} 400 `invalid_request` for arguments that no request can have; 404 `not_found` for an id that no record
 *   can have
 */
export function toolRequest({ operation, parameters }: OperationTool, given: ToolArguments): ToolRequest {
  const known = [...parameters.keys(), ...(operation.body === null ? [] : [bodyArgument])];
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw unknownArguments(unknown, known);

  let path: string = operation.path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = { accept: 'application/json' };
  for (const [name, parameter] of parameters) {
    const value = given[name] === undefined ? undefined : textOf(name, given[name]);
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, () => segment(name, value));
    else if (value === undefined) continue;
    else if (!isStorableText(value)) throw invalidParameter(name, violation('storable_text'));
    else if (parameter.in === 'query') query.append(parameter.name, value);
    else headers[parameter.name.toLowerCase()] = value;
  }
  const url = query.size === 0 ? path : `${path}?${query}`;
  const method = operation.method as ToolRequest['method'];
  const body = given[bodyArgument];
  if (operation.body === null || body === undefined) return { method, url, headers };
  headers['content-type'] = 'application/json';
  return { method, url, headers, payload: JSON.stringify(body) };
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalidParameter(name, violation('argument_type'));
}

/** A segment of a path. `.` and `..` would lead to another path, even when they are percent-encoded. */
function segment(name: string, value: string | undefined): string {
  if (value === undefined) throw invalidParameter(name, violation('required'));
  if (value === '' || value === '.' || value === '..' || !isStorableText(value)) throw recordNotFound();
  return encodeURIComponent(value);
}

/** Characters of an unknown name that are repeated in the error. */
const maximumEcho = 100;

function unknownArguments(unknown: readonly string[], known: readonly string[]): Problem {
  const error = violation('known_argument', { values: known });
  return invalidRequest(
    unknown.map((name) => ({ place: { parameter: name.slice(0, maximumEcho) }, violation: error })),
    { summarize: (count) => `The call has ${count} unknown arguments.` },
  );
}
