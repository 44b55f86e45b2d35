import { createRequire } from 'node:module';
import type { FastifySchemaCompiler, FastifySerializerCompiler, FastifyServerOptions } from 'fastify';
import { compileValidator } from '../../contract/validator.js';

const require = createRequire(import.meta.url);

type CompilersFactory = NonNullable<
  NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']
>;
type Serialize = (document: unknown) => string;

/**
 * Compiles the schema of a response.
 *
 * @throws {Error} when the schema is invalid
 */
export function compileSerializer({ schema }: { readonly schema: unknown }): Serialize {
  // Loaded with the first schema, because the start compiles none. Serializers are synchronous, so `import` is not possible.
  const build = require('fast-json-stringify') as typeof import('fast-json-stringify');
  return build(schema as Parameters<typeof build>[0]);
}

/** Calls `create` once for each schema, also when several applications of the process have it. */
function once<Part extends { readonly schema: unknown }, Result>(create: (part: Part) => Result) {
  const results = new WeakMap<object, Result>();
  return (part: Part): Result => {
    const schema = part.schema as object;
    const result = results.get(schema) ?? create(part);
    results.set(schema, result);
    return result;
  };
}

const createValidator: FastifySchemaCompiler<unknown> = (part) => {
  let compiled: ReturnType<typeof compileValidator> | undefined;
  // Fastify reads the errors from the function that it has called.
  const validate: ReturnType<FastifySchemaCompiler<unknown>> = (value) => {
    compiled ??= compileValidator(part);
    const valid = compiled(value);
    validate.errors = compiled.errors ?? null;
    return valid;
  };
  return validate;
};

const createSerializer: FastifySerializerCompiler<unknown> = (part) => {
  let compiled: Serialize | undefined;
  return (document) => {
    compiled ??= compileSerializer(part);
    return compiled(document);
  };
};

const bodies = once(createValidator);
const texts = once(createValidator);
const serializers = once(createSerializer);

/**
 * Compilers of schemas for Fastify. A schema is compiled by its first request: together the schemas of the contract take about
 * a second of processor time. A test compiles all of them.
 */
export const schemaCompilers = {
  buildValidator: () => (part: Parameters<FastifySchemaCompiler<unknown>>[0]) =>
    (part.httpPart === 'body' ? bodies : texts)(part),
  buildSerializer: () => serializers,
} as unknown as CompilersFactory;
