// Runs samples by name: reads a name from each line, and prints the exit code that the sample would have.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

const [, , directory] = process.argv;
const streams = ['stdout', 'stderr'];
const print = process.stdout.write.bind(process.stdout);

for await (const name of createInterface({ input: process.stdin })) {
  const folder = path.join(directory, name);
  const output = { stdout: '', stderr: '' };
  for (const stream of streams) {
    process[stream].write = (text, ...rest) => {
      output[stream] += Buffer.from(text);
      rest.findLast((argument) => typeof argument === 'function')?.();
      return true;
    };
  }
  let code = 0;
  try {
    await import(pathToFileURL(path.join(folder, 'sample.mjs')));
    // Warnings are printed later.
    await new Promise(setImmediate);
  } catch (error) {
    output.stderr += inspect(error);
    code = 1;
  }
  for (const stream of streams) writeFileSync(path.join(folder, stream), output[stream]);
  print(`${code}\n`);
}
