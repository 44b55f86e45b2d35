import type { Generator } from '../generator.js';

export const openapiClientAxios: Generator = {
  name: 'openapi-client-axios',
  package: 'openapi-client-axios-typegen',
  runtime: ['openapi-client-axios', 'axios'],
  document: 'v1.json',
  // Without `--typeAliases`, the types of the schemas are not exported.
  command: ['typegen', 'v1.json', '--typeAliases'],
  output: 'generated/people-api.d.ts',
};
