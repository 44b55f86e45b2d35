import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of this package. */
export const labRoot = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Folder of the package under test. */
export const packageRoot = path.dirname(path.dirname(labRoot));

/** Public URL of every server, independent of its port, so that links and issuers are equal. */
export const baseUrl = 'http://api.bench';

/** Option of Node.js with which a child process runs TypeScript. */
export const typescriptOptions = ['--import', import.meta.resolve('tsx')];
