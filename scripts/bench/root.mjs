import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the bench is, and the package that it measures. */
export const benchRoot = path.dirname(fileURLToPath(import.meta.url));
export const packageRoot = path.dirname(path.dirname(benchRoot));

/** What every subject takes for its public address, whatever port it listens on: links and issuers are alike. */
export const baseUrl = 'http://api.bench';

/** Connections that each subject may hold to the database: the product's own number. */
export const poolSize = 10;
