import type { Test } from 'tap';
import type { ProblemCode } from '../../../src/contract/contract.js';
import { contract } from '../server/app.js';
import type { Answer } from './conformance.js';

/** Checks a problem document against the table of codes in the contract, member by member. */
export function isProblem(
  t: Test,
  answer: Answer,
  code: ProblemCode,
  instance: string,
  label: string = code,
): void {
  const { status, title } = contract.problems[code];
  t.equal(answer.statusCode, status, `${label}: ${answer.body.slice(0, 300)}`);
  const {
    type,
    detail,
    request_id,
    errors: _,
    error: __,
    error_description: ___,
    ...rest
  } = JSON.parse(answer.body);
  t.equal(type, `http://api.test/errors/${code.replaceAll('_', '-')}`, label);
  t.same(rest, { title, status, instance, code }, label);
  t.type(detail, 'string');
  t.equal(request_id, answer.headers['x-request-id'], label);
  t.match(request_id, /^[A-Za-z0-9._-]{1,128}$/);
  t.equal(answer.headers['cache-control'], 'no-store', label);
  const forOAuthClients = instance.startsWith('/v1/oauth/') && code !== 'public-api-not-found';
  const mediaType = forOAuthClients ? 'application/json' : 'application/problem+json';
  t.equal(answer.headers['content-type'], mediaType, label);
}
