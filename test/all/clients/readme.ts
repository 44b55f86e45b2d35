import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.js';

/** A code block of a document. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The file name in the sentence before the block. */
  readonly file: string | undefined;
}

/** Reads one section of a document, without its heading. */
export async function readSection(heading: string, file: string): Promise<string> {
  const text = await readFile(path.join(packageRoot, file), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${file} has no section ${heading}`);
  return section;
}

/** The code blocks, in their order. */
export function blocksOf(section: string): Block[] {
  const pieces = section.split(/^```(.*)$/m);
  const blocks: Block[] = [];
  for (let index = 1; index < pieces.length; index += 4) {
    const [before = '', language = '', text = ''] = pieces.slice(index - 1);
    blocks.push({ language, text: text.trimStart(), file: /`([^`\s]+\.mts)`[^`]*$/.exec(before)?.[1] });
  }
  return blocks;
}

/** The rows of the table, without its header and delimiter rows. */
export function rowsOf(section: string): string[][] {
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
