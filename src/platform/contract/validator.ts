import {
  Ajv2020,
  type AnySchema,
  type ErrorObject,
  type Options,
  type ValidateFunction,
} from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

/** Keywords of OpenAPI that have no effect on validation. */
const annotations = ['example', 'externalDocs', 'xml', 'x-extensible-enum', 'x-enum-varnames', 'x-rule'];

const options: Options = {
  allErrors: true,
  // Findings then include their schema, whose keywords and `x-rule` have the valid values.
  verbose: true,
  useDefaults: true,
  removeAdditional: false,
  discriminator: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
};

/** Compiles the schema of one part of a request: `body`, `querystring`, `params` or `headers`. */
type SchemaCompiler = (part: { schema: unknown; httpPart?: string | undefined }) => ValidateFunction;

/**
 * Compiles the schemas of the contract as JSON Schema 2020-12. Query, path and header values are coerced from text;
 * bodies are not coerced.
 */
export function createValidatorCompiler(): SchemaCompiler {
  const coercing = createAjv({ ...options, coerceTypes: true });
  const exact = createAjv(options);
  return ({ schema, httpPart }) =>
    (httpPart === 'body' ? exact : coercing).compile(withDiscriminators(schema));
}

/** Returns the errors of a value; none when it is valid. */
type Validation = (value: unknown) => readonly ErrorObject[];

/**
 * Validates a value as the body of a request. The schema is compiled at the first use: that takes up to 0.1 seconds, which
 * neither the start nor an application without such requests has to spend.
 */
export function createBodyValidation(schema: () => unknown): Validation {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= createValidatorCompiler()({ schema: schema(), httpPart: 'body' });
    return validate(value) ? [] : (validate.errors ?? []);
  };
}

/**
 * Converts `x-discriminator` of a union to the keyword of Ajv. The contract does not use `discriminator`, because some
 * generators then keep only one of several values with the same schema.
 */
function withDiscriminators(schema: unknown): AnySchema {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    const { 'x-discriminator': propertyName, ...others } = value ?? {};
    return propertyName === undefined
      ? value
      : { ...others, type: 'object', discriminator: { propertyName } };
  });
}

function createAjv(withOptions: Options): Ajv2020 {
  const ajv = new Ajv2020(withOptions);
  ajvFormats.default(ajv);
  ajv.addVocabulary(annotations);
  return ajv;
}
