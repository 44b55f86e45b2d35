// Runs the TypeScript program of a folder: `node scripts/lab/run.mjs bench`, `trials` or `mutation`, with its options after it.
import './install.mjs';

const [program] = process.argv.splice(2, 1);
// Imported after the installation of its packages.
const { register } = await import('tsx/esm/api');
register();
await import(`./${program}/main.ts`);
