import type { Generator } from '../generator.js';

export const openapiZodClient: Generator = {
  name: 'openapi-zod-client',
  package: 'openapi-zod-client',
  runtime: ['@zodios/core', 'axios', 'zod'],
  document: 'v1-3.0.json',
  command: [
    'openapi-zod-client',
    'v1-3.0.json',
    '--output',
    'generated/people-api.ts',
    '--export-schemas',
    // Without it, the type of each object has an index signature.
    '--no-additional-props-default-value',
    // Without it, problem documents and CSV have no type.
    '--media-type-expr',
    '/json$|csv$/.test(mediaType)',
  ],
};
