import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Contract, isRequired } from '../../platform/contract/contract.js';
import { createGuard } from '../../platform/http/binding/request-syntax.js';
import type { ReadPushedRequest } from './pushed-request-query.js';
import { signInTimeOf } from './repeated-sign-in.js';

/**
 * The path of the operation `authorize`, and route options of a page that has the query of an authorization request. The query is
 * validated against the same schemas as that of the operation.
 */
export function authorizationQuery(
  { operations }: Pick<Contract, 'operations'>,
  readPushedRequest: ReadPushedRequest,
) {
  const operation = operations.get('authorize');
  if (operation === undefined) throw new Error('The contract has no operation authorize');
  const guard = createGuard(operation);
  const parameters = [...operation.queryParameters.values()];
  const querystring = {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(isRequired).map(({ name }) => name),
  };
  const options = {
    schema: { querystring },
    preValidation: async (request: FastifyRequest, reply: FastifyReply) => {
      await readPushedRequest(request, reply);
      guard(request);
    },
  };
  return { path: operation.path, options };
}

/**
 * The query string with which a browser repeats an authorization request. Of a pushed request it has only `client_id`, `request_uri` and
 * the time after which the user must have signed in.
 */
export function repeatedQuery({ query, url }: FastifyRequest): string {
  const { client_id = '', request_uri } = query as { client_id?: string; request_uri?: string };
  if (request_uri === undefined) return url.slice(url.indexOf('?'));
  return `?${new URLSearchParams({ client_id, request_uri })}${signInTimeOf(url)}`;
}
