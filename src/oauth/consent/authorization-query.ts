import type { FastifyRequest } from 'fastify';
import type { Contract } from '../../platform/contract/contract.js';
import { operationQuery } from '../../platform/http/binding/operation-query.js';
import type { ReadPushedRequest } from './pushed-request-query.js';
import { signInTimeOf } from './repeated-sign-in.js';

/** The path of the operation `authorize`, and route options of a page that has the query of an authorization request. */
export function authorizationQuery(
  contract: Pick<Contract, 'operations'>,
  readPushedRequest: ReadPushedRequest,
) {
  return operationQuery(contract, 'authorize', readPushedRequest);
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
