import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Mistakes that the compiler finds only if the client has types. */
const mistakes = [
  {
    right: 'attributes.department',
    wrong: 'attributes.departement',
    typed: 'the rows of a report have a type',
  },
  {
    right: "value: ['active']",
    wrong: "value: 'active'",
    typed: 'the operator of a filter decides the type of its value',
  },
  { right: '{ status, code,', wrong: '{ status, kode,', typed: 'problem documents have a type' },
];

/** A mistake in a copy of a program. */
interface Mistake {
  /** The file and the line. */
  readonly place: string;
  /** What the compiler guarantees if it rejects the mistake. */
  readonly typed: string;
}

/**
 * Writes a copy of a program with mistakes in it. The names of the files are relative to the folder.
 *
 * @throws {Error} when a mistake does not apply to the program
 */
export async function writeMistakes(folder: string, file: string, copy: string): Promise<Mistake[]> {
  let text = await readFile(path.join(folder, file), 'utf8');
  const written = mistakes.map(({ right, wrong, typed }) => {
    const index = text.indexOf(right);
    if (index === -1) throw new Error(`${file} does not contain ${right}`);
    text = text.replace(right, wrong);
    return { place: `${copy}:${text.slice(0, index).split('\n').length}`, typed };
  });
  await writeFile(path.join(folder, copy), text);
  return written;
}
