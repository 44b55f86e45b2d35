import type { Generator } from '../generator.js';

export const swaggerTypescriptApi: Generator = {
  name: 'swagger-typescript-api',
  package: 'swagger-typescript-api',
  runtime: [],
  document: 'v1.json',
  command: ['swagger-typescript-api', 'generate', '-p', 'v1.json', '-o', 'generated', '-n', 'people-api.ts'],
};
