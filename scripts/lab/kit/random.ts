export { createRandom, type Random } from '../../../test/support/input/random.js';
