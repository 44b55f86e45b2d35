import type { Generator } from '../generator.js';

export const openapiTypescriptCodegen: Generator = {
  name: 'openapi-typescript-codegen',
  package: 'openapi-typescript-codegen',
  runtime: [],
  document: 'v1-3.0.json',
  command: ['openapi', '--input', 'v1-3.0.json', '--output', 'generated'],
};
