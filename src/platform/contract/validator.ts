import { createRequire } from 'node:module';
import type { Ajv2020, AnySchema, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';

const require = createRequire(import.meta.url);

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

/** Schema of one part of a request: `body`, `querystring`, `params` or `headers`. */
interface PartSchema {
  readonly schema: unknown;
  readonly httpPart?: string | undefined;
}

let exact: Ajv2020 | undefined;
let coercing: Ajv2020 | undefined;

/**
 * Compiles a schema of the contract as JSON Schema 2020-12. Query, path and header values are coerced from text;
 * bodies are not coerced.
 *
 * @throws {Error} when the schema is invalid
 */
export function compileValidator({ schema, httpPart }: PartSchema): ValidateFunction {
  exact ??= createAjv(options);
  coercing ??= createAjv({ ...options, coerceTypes: true });
  return (httpPart === 'body' ? exact : coercing).compile(withDiscriminators(schema));
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
    validate ??= compileValidator({ schema: schema(), httpPart: 'body' });
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
  // Loaded with the first schema, because the start compiles none. Validators are synchronous, so `import` is not possible.
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const { default: ajvFormats } = require('ajv-formats') as typeof import('ajv-formats');
  const ajv = new Ajv2020(withOptions);
  ajvFormats.default(ajv);
  ajv.addVocabulary(annotations);
  return ajv;
}
