import { Problem, type ProblemOptions } from '../problems/problem.js';

const realm = 'Bearer realm="People API"';

/** 401 `unauthorized`: no token came, and RFC 6750 section 3.1 asks for no error code then. */
export function unauthorized(): Problem {
  return new Problem(
    'unauthorized',
    'Send an access token in the header Authorization: Bearer <ACCESS_TOKEN>.',
    { headers: { 'www-authenticate': realm } },
  );
}

/** Adds what RFC 6750 says of a token that does not count: `invalid_token`, whatever the reason. */
export function challenge(problem: Problem): Problem {
  const options: ProblemOptions = {
    headers: {
      'www-authenticate': `${realm}, error="invalid_token", error_description="${problem.message}"`,
    },
    cause: problem.cause,
  };
  return new Problem(problem.code, problem.message, options);
}

/** 403 `insufficient_scope`, which names the scopes that are missing. */
export function insufficientScope(missing: readonly string[]): Problem {
  const scope = missing.join(' ');
  return new Problem('insufficient_scope', `The access token lacks the scope ${scope}.`, {
    headers: { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${scope}"` },
  });
}

/** 403 `user_context_required`: RFC 6750 has no error code for it. */
export function userContextRequired(): Problem {
  return new Problem(
    'user_context_required',
    'The access token was issued to an application and has no user.',
    { headers: { 'www-authenticate': realm } },
  );
}
