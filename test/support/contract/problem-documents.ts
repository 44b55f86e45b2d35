import type { Test } from 'tap';
import type { ProblemCode } from '../../../src/platform/contract/contract.js';
import { contract } from '../server/app.js';
import type { Response } from './conformance.js';

/** Checks a problem document against the table of codes in the contract, member by member. */
export function isProblem(
  t: Test,
  response: Response,
  code: ProblemCode,
  instance: string,
  label: string = code,
): void {
  const { status, title } = contract.problems[code];
  t.equal(response.statusCode, status, `${label}: ${response.body.slice(0, 300)}`);
  const {
    type,
    detail,
    request_id,
    errors: _,
    error: __,
    error_description: ___,
    ...rest
  } = JSON.parse(response.body);
  t.equal(type, `http://api.test/errors/${code.replaceAll('_', '-')}`, label);
  t.same(rest, { title, status, instance, code }, label);
  t.type(detail, 'string');
  t.equal(request_id, response.headers['x-request-id'], label);
  t.match(request_id, /^[A-Za-z0-9._-]{1,128}$/);
  t.equal(response.headers['cache-control'], 'no-store', label);
  const forOAuthClients = instance.startsWith('/v1/oauth/') && code !== 'public-api-not-found';
  const mediaType = forOAuthClients ? 'application/json' : 'application/problem+json';
  t.equal(response.headers['content-type'], mediaType, label);
}
