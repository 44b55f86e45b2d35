import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';

/** Keywords of OpenAPI that describe and do not constrain. */
const annotations = ['example', 'externalDocs', 'xml', 'discriminator'];

const options: Options = {
  allErrors: true,
  // Findings bring their schema along, whose description tells the caller what would be right.
  verbose: true,
  useDefaults: true,
  removeAdditional: false,
  strict: true,
  strictTypes: false,
  strictRequired: false,
};

/**
 * Compiles the contract's schemas as JSON Schema 2020-12. Query, path and header values arrive as text and
 * are coerced; bodies are taken as they are.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<Record<string, unknown>> {
  const coercing = createAjv({ ...options, coerceTypes: true });
  const exact = createAjv(options);
  return ({ schema, httpPart }) => (httpPart === 'body' ? exact : coercing).compile(schema);
}

function createAjv(withOptions: Options): Ajv2020 {
  const ajv = new Ajv2020(withOptions);
  ajvFormats.default(ajv);
  ajv.addVocabulary(annotations);
  return ajv;
}
