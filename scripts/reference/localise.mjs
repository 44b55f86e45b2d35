/** Path of the script on this server. */
const scriptAddress = '/assets/redoc.js';

/**
 * Removes the references to other servers from a rendered page, and adds the style.
 *
 * @returns the page, and the digest of the script that it was rendered for
 */
export function localise(page, style) {
  const script =
    /"(https:\/\/cdn\.redocly\.com\/[^"]+\.js)" integrity="([^"]+)" crossorigin="anonymous"/.exec(page);
  if (script === null) throw new Error('The rendered page does not contain the expected script element');
  const [reference, address, integrity] = script;
  const html = linkWithinPage(page)
    .replace(reference, `"${scriptAddress}"`)
    .replaceAll(address, scriptAddress)
    .replace('</head>', `<style>${style}</style>\n</head>`);
  return { html, integrity };
}

/**
 * Converts the links of the menu from paths to fragments. The renderer writes paths, which this server does not serve. Its
 * script also reads fragments, and without the script fragments lead to the chapters.
 */
function linkWithinPage(page) {
  const section = / data-section-id="(\/[^"]*)"/g;
  const sections = new Set([...page.matchAll(section)].map(([, id]) => id));
  if (sections.size === 0) throw new Error('The rendered page does not contain the expected section ids');
  // The header links to pages of this server, such as /errors, which is also the path of a chapter.
  const [header, ...content] = page.split(/(?<=<\/header>)/);
  const linked = content
    .join('')
    .replaceAll(section, ' id="$1"$&')
    .replaceAll(/ href="(\/[^"]*)"/g, (link, target) => (sections.has(target) ? ` href="#${target}"` : link));
  return `${header}${linked}`;
}

/** The logo next to "API docs by", which the script loads from the server of Redocly. */
const logo = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="48" height="14"><text y="11" font-family="sans-serif" font-size="12" fill="#4d7dff">Redocly</text></svg>',
)}`;

/** Replaces the only URL that the script loads from another server. */
export function localiseBundle(bundle) {
  const found = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g;
  if (bundle.match(found)?.length !== 2)
    throw new Error('The script does not contain the expected URLs of the logo');
  return bundle.replaceAll(found, logo);
}
