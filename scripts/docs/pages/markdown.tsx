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

/** The first sentence of a text in Markdown, without marks, for search engines. */
export function firstSentence(text: string): string {
  const [paragraph = ''] = text.split('\n\n');
  const words = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
  const [sentence = ''] = words.replaceAll('\n', ' ').split(/(?<=\.) /);
  return sentence;
}
