import type { Generator } from '../generator.js';

export const typedOpenapi: Generator = {
  name: 'typed-openapi',
  package: 'typed-openapi',
  runtime: [],
  document: 'v1.json',
  command: ['typed-openapi', 'v1.json', '--output', 'generated/people-api.ts'],
};
