import type { Generator } from './generator.js';
import { heyApi } from './hey-api/generator.js';
import { kubb } from './kubb/generator.js';
import { oazapfts } from './oazapfts/generator.js';
import { openapiClientAxios } from './openapi-client-axios/generator.js';
import { openapiFetch } from './openapi-fetch/generator.js';
import { openapiGeneratorPython } from './openapi-generator-python/generator.js';
import { openapiGeneratorRuby } from './openapi-generator-ruby/generator.js';
import { orval } from './orval/generator.js';
import { redoclyCli } from './redocly-cli/generator.js';
import { rtkQuery } from './rtk-query/generator.js';
import { swaggerTypescriptApi } from './swagger-typescript-api/generator.js';
import { typedOpenapi } from './typed-openapi/generator.js';

/** Every generator that is tested, in the order of the documentation. */
export const generators: readonly Generator[] = [
  openapiFetch,
  heyApi,
  swaggerTypescriptApi,
  oazapfts,
  redoclyCli,
  orval,
  kubb,
  rtkQuery,
  typedOpenapi,
  openapiClientAxios,
  openapiGeneratorPython,
  openapiGeneratorRuby,
];
