import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
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

// The compiler that Fastify uses by default.
const compileSerializer = SerializerSelector()({}, {}) as Compile<{ schema: unknown }>;

export const schemaCompilers = {
  validator: once(createValidatorCompiler(), ({ httpPart }) => (httpPart === 'body' ? 'body' : 'text')),
  serializer: once(compileSerializer, () => ''),
} as SchemaCompilers;
