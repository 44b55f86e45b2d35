import type { Generator } from '../generator.js';

export const redoclyCli: Generator = {
  name: 'redocly-cli',
  package: '@redocly/cli',
  runtime: [],
  document: 'v1.json',
  command: [
    'redocly',
    'generate-client',
    'v1.json',
    '--output',
    'generated/people-api.ts',
    '--error-mode',
    'result',
  ],
};
