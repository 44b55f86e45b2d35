import { Marked } from 'marked';

const marked = new Marked({
  renderer: {
    // The contract has no HTML. Angle brackets in its texts are text.
    html: ({ text }) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  },
});

/** Paragraphs, lists and tables of the contract. */
export function Prose({ text }: { text: string }) {
  if (text === '') return null;
  return <div dangerouslySetInnerHTML={{ __html: marked.parse(text, { async: false }) }} />;
}

/** A few words of the contract, within a line. */
export function Words({ text }: { text: string }) {
  return <span dangerouslySetInnerHTML={{ __html: marked.parseInline(text, { async: false }) }} />;
}
