import { Marked, Renderer } from 'marked';
import { introductionOf, sectionsOf } from '../contract/changelog.mjs';
import { pagesOf } from './pages.mjs';

/**
 * Renders the changelog as HTML. Names of operations and error codes link to their pages.
 *
 * @throws {Error} when a link leads to a file that the server does not publish
 */
export function renderChangelog(changelog, document) {
  const markdown = createRenderer(pagesOf(document));
  return {
    introduction: markdown.parse(introductionOf(changelog)),
    sections: sectionsOf(changelog).map(({ title, version, date, text }) => ({
      ...{ id: version ?? title.toLowerCase().replaceAll(' ', '-'), title, version, date },
      html: markdown.parse(text),
    })),
  };
}

function createRenderer(pages) {
  const renderer = new Renderer();
  return new Marked({
    walkTokens(token) {
      if (token.type !== 'link') return;
      token.href = published(token.href);
      for (const child of token.tokens) child.isLinked = true;
    },
    renderer: {
      codespan(token) {
        const code = renderer.codespan(token);
        const page = pages.get(token.text);
        return page === undefined || token.isLinked ? code : `<a href="${page}">${code}</a>`;
      },
    },
  });
}

/** The address of a linked file on the server. */
function published(target) {
  if (/^https?:/.test(target)) return target;
  if (target !== 'openapi/v1.yaml')
    throw new Error(`CHANGELOG.md links to ${target}, which is not published`);
  return `/${target}`;
}
