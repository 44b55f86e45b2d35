import { setImmediate as nextTurn } from 'node:timers/promises';
import sax from 'sax';
import { damaged } from './workbook-archive.js';

/** Nested elements, and attributes of one. Excel writes fewer than ten. */
const maximumDepth = 100;
const maximumAttributes = 200;

/** Receives the elements of a part, by their names without a prefix. */
export interface XmlVisitor {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  /** A text can arrive in several pieces. */
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Parses a part of an Office document while it is read. Entities other than those of XML are errors. Other work of the process
 * runs after each piece.
 *
 * @returns yields after each piece, so that the caller can take what its visitor has collected
 * @throws {UnusableFileError} when the part is not well-formed XML in UTF-8
 */
export async function* visitXml(
  part: AsyncIterable<Uint8Array>,
  visitor: XmlVisitor,
): AsyncGenerator<void, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parser = createParser(visitor);
  for await (const piece of part) {
    parse(() => parser.write(decoder.decode(piece, { stream: true })));
    yield;
    await nextTurn();
  }
  parse(() => parser.write(decoder.decode()).close());
  yield;
}

/** Parses a part to its end. Throws like {@link visitXml}. */
export async function readXml(part: AsyncIterable<Uint8Array>, visitor: XmlVisitor): Promise<void> {
  for await (const _ of visitXml(part, visitor));
}

function createParser(visitor: XmlVisitor): sax.SAXParser {
  const parser = sax.parser(true, { strictEntities: true } as sax.SAXOptions);
  let depth = 0;
  let attributes = 0;
  parser.onerror = (error) => {
    throw error;
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > maximumAttributes) throw damaged();
  };
  parser.onopentag = (tag) => {
    attributes = 0;
    depth += 1;
    if (depth > maximumDepth) throw damaged();
    visitor.open?.(localName(tag.name), tag.attributes as Record<string, string>);
  };
  parser.onclosetag = (name) => {
    depth -= 1;
    visitor.close?.(localName(name));
  };
  parser.ontext = (text) => visitor.text?.(text);
  parser.oncdata = (text) => visitor.text?.(text);
  return parser;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function parse(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw error instanceof Error && error.name === 'UnusableFileError' ? error : damaged();
  }
}
