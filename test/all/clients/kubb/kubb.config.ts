import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import { pluginZod } from '@kubb/plugin-zod';

const barrelType = false;

export default defineConfig({
  root: '.',
  input: { path: './v1.json' },
  // By default, imports between the generated files end in `.ts`, which the compiler rejects.
  output: { path: './generated', barrelType, extension: { '.ts': '.js' }, format: false, lint: false },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs({ output: { path: 'types.ts', barrelType } }),
    pluginZod({ output: { path: 'zod.ts', barrelType }, version: '4', importPath: 'zod/v4' }),
    pluginClient({
      output: { path: 'client.ts', barrelType },
      // The client for `fetch` does not send forms, and does not read CSV.
      client: 'axios',
      // Otherwise the client imports a package without types for CommonJS.
      bundle: true,
      // Request bodies and responses are validated with the Zod schemas.
      parser: 'zod',
    }),
  ],
});
