import type { Generator } from '../generator.js';

export const orval: Generator = {
  name: 'orval',
  package: 'orval',
  configuration: ['orval'],
  runtime: ['zod'],
  document: 'v1.json',
  command: ['orval', '--config', 'orval.config.ts'],
};
