import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ProblemDocument } from '../../platform/problems/problem-document.js';
import { argumentName } from './input-schema.js';

/** Result of a tool call that succeeded. @param body JSON, or empty when the response has no body */
export function succeeded(body: string): CallToolResult {
  if (body === '') return { content: [{ type: 'text', text: 'Done. The response has no body.' }] };
  return { content: [{ type: 'text', text: body }], structuredContent: JSON.parse(body) };
}

/**
 * Result of a tool call that was rejected: the problem document, also as text.
 *
 * @param retryAfter seconds after which the call may be repeated
 */
export function rejected(problem: ProblemDocument, retryAfter?: unknown): CallToolResult {
  const lines = [
    `${problem.title} (${problem.status} ${problem.code}): ${problem.detail}`,
    ...(problem.errors ?? []).map((error) => `- ${placeOf(error)}: ${error.detail}`),
    ...(retryAfter === undefined ? [] : [`Try again after ${retryAfter} seconds.`]),
    `Request id: ${problem.request_id}`,
  ];
  return {
    isError: true,
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: { ...problem },
  };
}

/** Where the error is, as an argument of the tool. */
function placeOf(error: NonNullable<ProblemDocument['errors']>[number]): string {
  const { parameter, header, pointer } = error as Partial<Record<'parameter' | 'header' | 'pointer', string>>;
  return pointer === undefined ? argumentName(parameter ?? header ?? '') : `body${pointer}`;
}
