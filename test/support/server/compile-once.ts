import { createRequire } from 'node:module';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { SchemaCompilers } from '../../../src/app.js';
import { createValidatorCompiler } from '../../../src/contract/validator.js';

// The applications of a process have the same schemas. Compiling them takes longer than everything else that starting
// an application consists of.

type Compile<Part> = (part: Part) => unknown;

/** The same code for the same schema, whichever application it is in. */
function once<Part extends { schema: unknown }>(
  compile: Compile<Part>,
  kindOf: (part: Part) => string,
): Compile<Part> {
  const known = new Map<string, unknown>();
  return (part) => {
    const key = `${kindOf(part)} ${JSON.stringify(part.schema)}`;
    if (!known.has(key)) known.set(key, compile(part));
    return known.get(key);
  };
}

// The one that Fastify takes by itself.
const fromFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));
const { SerializerSelector } = fromFastify('@fastify/fast-json-stringify-compiler') as {
  SerializerSelector(): (schemas: object, options: object) => SchemaCompilers['serializer'];
};

export const schemaCompilers = {
  validator: once(createValidatorCompiler(), ({ httpPart }) => (httpPart === 'body' ? 'body' : 'text')),
  serializer: once(SerializerSelector()({}, {}), () => ''),
} as SchemaCompilers;

// Each application has its contract checked against the schema of OpenAPI, which is compiled anew for that.
interface Compiling {
  getAjvValidator(version: string): unknown;
}
const compiling = Validator.prototype as unknown as Compiling;
const { getAjvValidator } = compiling;
const compiled = new Map<string, unknown>();
compiling.getAjvValidator = function (version) {
  if (!compiled.has(version)) compiled.set(version, getAjvValidator.call(this, version));
  return compiled.get(version);
};
