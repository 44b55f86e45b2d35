import markdownIt from 'markdown-it';
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
    introduction: markdown.render(introductionOf(changelog)),
    sections: sectionsOf(changelog).map(({ title, version, date, text }) => ({
      ...{ id: version ?? title.toLowerCase().replaceAll(' ', '-'), title, version, date },
      html: markdown.render(text),
    })),
  };
}

function createRenderer(pages) {
  const markdown = markdownIt();
  const { code_inline: renderCode } = markdown.renderer.rules;
  markdown.renderer.rules.code_inline = (tokens, index, ...others) => {
    const code = renderCode(tokens, index, ...others);
    const page = pages.get(tokens[index].content);
    return page === undefined || isLinked(tokens, index) ? code : `<a href="${page}">${code}</a>`;
  };
  markdown.renderer.rules.link_open = (tokens, index, options, _, renderer) => {
    const token = tokens[index];
    token.attrSet('href', published(token.attrGet('href')));
    return renderer.renderToken(tokens, index, options);
  };
  return markdown;
}

/** Whether the text of a link contains the token. */
function isLinked(tokens, index) {
  const before = tokens.slice(0, index).map(({ type }) => type);
  return before.lastIndexOf('link_open') > before.lastIndexOf('link_close');
}

/** The address of a linked file on the server. */
function published(target) {
  if (/^https?:/.test(target)) return target;
  if (target !== 'openapi/v1.yaml')
    throw new Error(`CHANGELOG.md links to ${target}, which is not published`);
  return `/${target}`;
}
