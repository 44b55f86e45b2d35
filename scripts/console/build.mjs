// Copies the files of Swagger UI that the API console loads to dist/docs/console, with their licences.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from '../modified.mjs';

const source = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const output = path.join(root, 'dist', 'docs', 'console');
const files = [
  'LICENSE',
  'NOTICE',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'swagger-ui-bundle.js',
];
mkdirSync(output, { recursive: true });

for (const file of files) {
  const text = readFileSync(path.join(source, file), 'utf8');
  // The source maps are not copied.
  const served = text.replace(/\n?\/[/*]# sourceMappingURL=swagger-ui[\w.-]+( ?\*\/)?\s*$/, '');
  writeFileSync(path.join(output, file), served);
}
