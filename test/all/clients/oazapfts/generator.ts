import type { Generator } from '../generator.js';

export const oazapfts: Generator = {
  name: 'oazapfts',
  package: 'oazapfts',
  runtime: ['@oazapfts/runtime'],
  document: 'v1.json',
  command: ['oazapfts', 'v1.json', 'generated/people-api.ts'],
};
