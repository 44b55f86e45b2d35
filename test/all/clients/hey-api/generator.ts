import type { Generator } from '../generator.js';

export const heyApi: Generator = {
  name: 'hey-api',
  package: '@hey-api/openapi-ts',
  runtime: [],
  document: 'v1.json',
  command: ['openapi-ts', '--input', './v1.json', '--output', 'generated', '--no-log-file'],
};
