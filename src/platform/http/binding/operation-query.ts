import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Contract, isRequired, type OperationId, operationOf } from '../../contract/contract.js';
import { createGuard } from './request-syntax.js';

/**
 * The path of an operation, and route options of a page that has its query. The query is validated against the same schemas as that of
 * the operation.
 *
 * @param before what changes a request before it is validated. Default: nothing.
 */
export function operationQuery(
  contract: Pick<Contract, 'operations'>,
  id: OperationId,
  before?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
) {
  const operation = operationOf(contract, id);
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
      await before?.(request, reply);
      guard(request);
    },
  };
  return { path: operation.path, options };
}
