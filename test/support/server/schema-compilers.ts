import { createRequire } from 'node:module';
import type { SchemaCompilers } from '../../../src/app.js';
import { createValidatorCompiler } from '../../../src/contract/validator.js';

// The applications of a process share compiled schemas. Compiling them takes 0.2 seconds of CPU time for each of the
// thousand applications that the tests build.

type Compile<Part> = (part: Part) => unknown;

/** Compiles each schema once. */
function once<Part extends { schema: unknown }>(
  compile: Compile<Part>,
  kindOf: (part: Part) => string,
): Compile<Part> {
  const compiled = new Map<string, unknown>();
  return (part) => {
    const key = `${kindOf(part)} ${JSON.stringify(part.schema)}`;
    if (!compiled.has(key)) compiled.set(key, compile(part));
    return compiled.get(key);
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
