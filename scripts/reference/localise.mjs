/** Address of the script on our own server. */
const scriptAddress = '/assets/redoc.js';

/**
 * Makes a rendered page independent of every other server, and adds our own style to it.
 *
 * @returns the page, and the digest of the script that it was rendered for
 */
export function localise(page, style) {
  const script =
    /"(https:\/\/cdn\.redocly\.com\/[^"]+\.js)" integrity="([^"]+)" crossorigin="anonymous"/.exec(page);
  if (script === null) throw new Error('The rendered page does not load the script as it used to');
  const [reference, address, integrity] = script;
  const html = linkWithinPage(page)
    .replace(reference, `"${scriptAddress}"`)
    .replaceAll(address, scriptAddress)
    .replace('</head>', `<style>${style}</style>\n</head>`);
  return { html, integrity };
}

/**
 * The renderer writes the links of its menu for a server that knows every section as a path; its script reads
 * sections from the fragment. In this spelling the links also lead somewhere without the script.
 */
function linkWithinPage(page) {
  const section = / data-section-id="(\/[^"]*)"/g;
  const sections = new Set([...page.matchAll(section)].map(([, id]) => id));
  if (sections.size === 0) throw new Error('The rendered page does not name its sections as it used to');
  return page
    .replaceAll(section, ' id="$1"$&')
    .replaceAll(/ href="(\/[^"]*)"/g, (link, target) => (sections.has(target) ? ` href="#${target}"` : link));
}

/** The logo beside "API docs by", which the script would fetch from its maker's server. */
const logo = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="48" height="14"><text y="11" font-family="sans-serif" font-size="12" fill="#4d7dff">Redocly</text></svg>',
)}`;

/** Takes the one address of another server that the script fetches by itself out of it. */
export function localiseBundle(bundle) {
  const found = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g;
  if (bundle.match(found)?.length !== 2) throw new Error('The script does not load its logo as it used to');
  return bundle.replaceAll(found, logo);
}
