import { defineConfig } from 'orval';

const input = './v1.json';

export default defineConfig({
  client: {
    input,
    output: {
      client: 'fetch',
      target: './generated/people-api.ts',
      // The fetch client has one fixed base URL and no authentication of its own.
      override: { mutator: { path: './fetcher.ts', name: 'fetcher' } },
    },
  },
  schemas: {
    input,
    output: { client: 'zod', target: './generated/people-api.zod.ts' },
  },
});
