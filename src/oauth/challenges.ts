import { Problem, type ProblemOptions } from '../platform/problems/problem.js';

const realm = 'Bearer realm="People API"';

/** 401 `unauthorized`, without an error code because the request has no token. @see RFC 6750 section 3.1 */
export function unauthorized(): Problem {
  return new Problem(
    'unauthorized',
    'Send an access token in the header Authorization: Bearer <ACCESS_TOKEN>.',
    { headers: { 'www-authenticate': realm } },
  );
}

/** Adds a challenge with `invalid_token` to a 401 problem. @see RFC 6750 section 3.1 */
export function challenge(problem: Problem): Problem {
  const options: ProblemOptions = {
    headers: {
      'www-authenticate': `${realm}, error="invalid_token", error_description="${problem.message}"`,
    },
    cause: problem.cause,
  };
  return new Problem(problem.code, problem.message, options);
}

/** 403 `insufficient_scope` with the missing scopes. @see RFC 6750 section 3.1 */
export function insufficientScope(missing: readonly string[]): Problem {
  const scope = missing.join(' ');
  return new Problem('insufficient_scope', `The access token lacks the scope ${scope}.`, {
    headers: { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${scope}"` },
  });
}

/** 403 `user_context_required`, for which RFC 6750 has no error code. */
export function userContextRequired(): Problem {
  return new Problem(
    'user_context_required',
    'The access token was issued to an application and has no user.',
    { headers: { 'www-authenticate': realm } },
  );
}
