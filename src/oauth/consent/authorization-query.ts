import type { FastifyRequest } from 'fastify';
import type { Contract } from '../../platform/contract/contract.js';
import { createGuard } from '../../platform/http/binding/request-syntax.js';

/**
 * The path of the operation `authorize`, and route options of a page that has the query of an authorization request. The query is
 * validated against the same schemas as that of the operation.
 */
export function authorizationQuery({ operations }: Pick<Contract, 'operations'>) {
  const operation = operations.get('authorize');
  if (operation === undefined) throw new Error('The contract has no operation authorize');
  const guard = createGuard(operation);
  const parameters = [...operation.queryParameters.values()];
  const querystring = {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
  const options = {
    schema: { querystring },
    preValidation: async (request: FastifyRequest) => guard(request),
  };
  return { path: operation.path, options };
}
