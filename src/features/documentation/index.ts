export type { WithBaseUrl } from './documents.js';
