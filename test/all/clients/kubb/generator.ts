import type { Generator } from '../generator.js';

export const kubb: Generator = {
  name: 'kubb',
  package: '@kubb/cli',
  configuration: [
    '@kubb/core',
    '@kubb/plugin-client',
    '@kubb/plugin-oas',
    '@kubb/plugin-ts',
    '@kubb/plugin-zod',
  ],
  runtime: ['axios', 'zod'],
  document: 'v1.json',
  command: ['kubb', 'generate', '--config', 'kubb.config.ts'],
};
