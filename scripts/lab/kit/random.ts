export { createRandom, type Random } from '../../../test/support/random.js';
