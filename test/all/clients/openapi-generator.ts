import type { Requirement } from './generator.js';

export const java: Requirement = { program: 'java', args: ['-version'] };

/** What the generators of OpenAPI Generator share. Only this version of the npm package has the generator in it. */
export const openapiGenerator = {
  package: '@openapitools/openapi-generator-cli',
  runtime: [],
  document: 'v1-3.0.json',
  command: ['openapi-generator', 'generate', '-i', 'v1-3.0.json', '-o', 'generated'],
} as const;
