export type { Localise } from './published.js';
