import fastify, { type RouteOptions } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import type { Contract, Operation, OperationId } from '../../../src/platform/contract/contract.js';
import {
  type ContractRoute,
  type ContractRoutes,
  specificationOf,
} from '../../../src/platform/http/binding/bind.js';

// The applications of a process share routes, and so the schemas that their requests compile. Deriving the routes takes 0.3
// seconds of processor time for each of the thousand applications that the tests build.

let derived: Promise<ContractRoutes> | undefined;

/** The routes of the contract, derived once. */
export function sharedRoutes(contract: Contract): Promise<ContractRoutes> {
  derived ??= deriveRoutes(contract);
  return derived;
}

async function deriveRoutes(contract: Contract): Promise<ContractRoutes> {
  const routes = new Map<OperationId, ContractRoute>();
  const app = fastify({ exposeHeadRoutes: false });
  app.addHook('onRoute', ({ config, method, url, schema }) => {
    const operation = config?.operation as Operation;
    routes.set(operation.id, { method, url, ...(schema !== undefined && { schema }) });
  });
  await app.register(openapiGlue, {
    specification: specificationOf(contract),
    operationResolver: (id) =>
      ({
        config: { operation: contract.operations.get(id as OperationId) },
        handler: () => {},
      }) as unknown as RouteOptions,
  });
  return routes;
}
