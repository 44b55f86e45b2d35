/** A generator that partners use, and how it is told what to do. */
export interface Generator {
  /** Folder of its program. */
  readonly name: string;
  /** Package that brings the command. */
  readonly package: string;
  /** Packages that what it generates imports. */
  readonly runtime: readonly string[];
  /** Which of the served documents it reads best. */
  readonly document: 'v1.json' | 'v1-3.0.json';
  /** What follows `npx`, in a folder with the document. */
  readonly command: readonly [string, ...string[]];
}

export const generators: readonly Generator[] = [
  {
    name: 'openapi-fetch',
    package: 'openapi-typescript',
    runtime: ['openapi-fetch'],
    document: 'v1.json',
    command: ['openapi-typescript', 'v1.json', '--output', 'generated/people-api.d.ts'],
  },
  {
    name: 'hey-api',
    package: '@hey-api/openapi-ts',
    runtime: [],
    document: 'v1.json',
    command: ['openapi-ts', '--input', './v1.json', '--output', 'generated', '--no-log-file'],
  },
  {
    name: 'swagger-typescript-api',
    package: 'swagger-typescript-api',
    runtime: [],
    document: 'v1.json',
    command: [
      'swagger-typescript-api',
      'generate',
      '-p',
      'v1.json',
      '-o',
      'generated',
      '-n',
      'people-api.ts',
    ],
  },
  {
    name: 'oazapfts',
    package: 'oazapfts',
    runtime: ['@oazapfts/runtime'],
    document: 'v1.json',
    command: ['oazapfts', 'v1.json', 'generated/people-api.ts'],
  },
  {
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
  },
  {
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
      // Without it, every object is typed as if it had any other members as well.
      '--no-additional-props-default-value',
      // Without it, problem documents are passed over.
      '--media-type-expr',
      '/json$/.test(mediaType)',
    ],
  },
  {
    name: 'openapi-typescript-codegen',
    package: 'openapi-typescript-codegen',
    runtime: [],
    document: 'v1-3.0.json',
    command: ['openapi', '--input', 'v1-3.0.json', '--output', 'generated'],
  },
];
