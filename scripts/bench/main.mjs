// Measures our server beside others; see README.md.
import { preparePeers } from './prepare.mjs';

preparePeers();
// Only now are there the packages that the rest imports.
const { bench } = await import('./bench.mjs');
try {
  process.exitCode = await bench(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
}
