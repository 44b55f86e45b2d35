import { Document, isScalar, parseDocument, visit } from 'yaml';

/** Maximum length of a line with a list of plain values. */
const lineWidth = 120;

/** Text that resembles YAML syntax, and dates, which YAML 1.1 does not parse as text. */
const looksLikeSyntax = /^-|^\w+\[\w+\]$|^\w+:\w+$|^\d{4}-\d\d-\d\d/;

/**
 * Replaces values in the text of a contract. All other bytes are unchanged.
 *
 * @param changes `path`, the keys that lead to an existing value, and its new `value`
 */
export function replaceValues(text, changes) {
  const document = parseDocument(text);
  const edits = changes.map(({ path, value }) => editOf(text, document, { path, value }));
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((before, { start, end, written }) => before.slice(0, start) + written + before.slice(end), text);
}

function editOf(text, document, { path, value }) {
  const parent = document.getIn(path.slice(0, -1));
  const pair = parent?.items?.find(({ key }) => key.value === path.at(-1));
  if (pair === undefined) throw new Error(`The contract has no ${path.join('/')}.`);
  const [start] = pair.key.range;
  const column = start - (text.lastIndexOf('\n', start) + 1);
  // The range of a block ends at the start of the next line.
  const end = text.slice(0, pair.value.range[1]).trimEnd().length;
  return { start, end, written: writePair(path.at(-1), value, column) };
}

function writePair(key, value, column) {
  const document = new Document({ [key]: value }, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && looksLikeSyntax.test(scalar.value))
        scalar.type = 'QUOTE_SINGLE';
    },
    Seq(_, list, ancestors) {
      const indent = column + 2 * ancestors.length;
      const width = list.items.reduce((sum, item) => sum + String(item).length + 2, indent);
      list.flow = list.items.every(isScalar) && width <= lineWidth;
    },
  });
  const written = document.toString({
    lineWidth: 0,
    singleQuote: true,
    flowCollectionPadding: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  });
  return written.trimEnd().replaceAll('\n', `\n${' '.repeat(column)}`);
}
