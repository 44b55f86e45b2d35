import type { Generator } from '../generator.js';

export const openapiFetch: Generator = {
  name: 'openapi-fetch',
  package: 'openapi-typescript',
  runtime: ['openapi-fetch'],
  document: 'v1.json',
  command: ['openapi-typescript', 'v1.json', '--output', 'generated/people-api.d.ts'],
};
