import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Processor time of this process and of its children that have exited, user and system, in seconds. Outside Linux, only of
 * this process.
 */
export function processorSeconds() {
  if (!existsSync('/proc/self/stat')) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  // Fields 14 to 17 (proc(5)), in hundredths of a second. The second field, in parentheses, may contain spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/** Processor time of `npm test` beyond which a warning is printed. */
const budgetSeconds = 8 * 60;

/**
 * Prints the assertions, the time and the processor time of each folder, and the files that take the most processor time.
 *
 * @param directory has a file for each process of the tests, with a line of JSON for each test file
 */
export function printTimes(directory) {
  const files = (existsSync(directory) ? readdirSync(directory) : [])
    .flatMap((name) => readFileSync(path.join(directory, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const folders = new Map();
  for (const { title, assertions, seconds, processorSeconds } of files) {
    const folder = folderOf(title);
    const sum = folders.get(folder) ?? { assertions: 0, seconds: 0, processorSeconds: 0 };
    folders.set(folder, {
      assertions: sum.assertions + assertions,
      seconds: sum.seconds + seconds,
      processorSeconds: sum.processorSeconds + processorSeconds,
    });
  }
  const rows = [...folders].sort(([, a], [, b]) => b.processorSeconds - a.processorSeconds);
  process.stdout.write('\nProcessor time (s), time (s) and assertions of each folder:\n');
  for (const [folder, sum] of rows) {
    const columns = [sum.processorSeconds.toFixed(1), sum.seconds.toFixed(1), String(sum.assertions)];
    process.stdout.write(`${columns.map((column) => column.padStart(8)).join('')}  ${folder}\n`);
  }
  const expensive = files.toSorted((a, b) => b.processorSeconds - a.processorSeconds).slice(0, 10);
  const list = expensive.map(({ title, processorSeconds }) => `${title} ${processorSeconds.toFixed(1)}`);
  process.stdout.write(`Most expensive files: ${list.join(', ')}\n`);
  const ofNpmTest = files
    .filter(({ title }) => !title.startsWith(path.join('test', 'all', path.sep)))
    .reduce((sum, file) => sum + file.processorSeconds, 0);
  if (ofNpmTest > budgetSeconds) {
    process.stdout.write(
      `Warning: npm test takes more than ${budgetSeconds / 60} minutes of processor time.\n`,
    );
  }
  process.stdout.write(`${processorSeconds().toFixed(0).padStart(8)}  in all, with the build\n`);
}

/** test/<folder>, or test/all/<folder>. */
function folderOf(title) {
  const parts = path.dirname(title).split(path.sep);
  return parts.slice(0, parts[1] === 'all' ? 3 : 2).join('/');
}
