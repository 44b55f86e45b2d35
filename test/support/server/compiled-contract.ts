import { createRequire } from 'node:module';
import fastify, { type RouteOptions } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import type { SchemaCompilers } from '../../../src/app.js';
import type { Contract, Operation, OperationId } from '../../../src/platform/contract/contract.js';
import { createValidatorCompiler } from '../../../src/platform/contract/validator.js';
import type { ContractRoute, ContractRoutes } from '../../../src/platform/http/binding/bind.js';

// The applications of a process share routes and compiled schemas. Deriving the routes takes 0.3 seconds of processor time and
// compiling the schemas 0.2, for each of the thousand applications that the tests build.

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
    specification: structuredClone(contract.document),
    operationResolver: (id) =>
      ({
        config: { operation: contract.operations.get(id as OperationId) },
        handler: () => {},
      }) as unknown as RouteOptions,
  });
  return routes;
}

type Compile<Part> = (part: Part) => unknown;

/** Compiles each schema once. */
function once<Part extends { schema: unknown }>(
  compile: Compile<Part>,
  kindOf: (part: Part) => string,
): Compile<Part> {
  const compiled = new WeakMap<object, Map<string, unknown>>();
  return (part) => {
    const schema = part.schema as object;
    const kinds = compiled.get(schema) ?? new Map<string, unknown>();
    compiled.set(schema, kinds);
    const kind = kindOf(part);
    if (!kinds.has(kind)) kinds.set(kind, compile(part));
    return kinds.get(kind);
  };
}

// The default compiler of Fastify, in the version that Fastify installs.
const fromFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));
const { SerializerSelector } = fromFastify('@fastify/fast-json-stringify-compiler') as {
  SerializerSelector(): (schemas: object, options: object) => Compile<{ schema: unknown }>;
};
const compileSerializer = SerializerSelector()({}, {});

export const schemaCompilers = {
  validator: once(createValidatorCompiler(), ({ httpPart }) => (httpPart === 'body' ? 'body' : 'text')),
  serializer: once(compileSerializer, () => ''),
} as SchemaCompilers;
