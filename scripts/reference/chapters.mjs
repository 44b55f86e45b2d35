import markdownIt from 'markdown-it';

const markdown = markdownIt();

/**
 * Renders the chapters of the contract, which are its tags without operations, as HTML. Without JavaScript, the links of
 * the menu lead to them.
 */
export function chaptersOf({ tags }) {
  return tags
    .filter((tag) => tag['x-traitTag'] === true)
    .map(({ name, description }) => {
      const id = `/${name.toLowerCase().replaceAll(' ', '-')}`;
      return `<section id="${id}"><h2>${name}</h2>${markdown.render(description)}</section>`;
    })
    .join('\n');
}
