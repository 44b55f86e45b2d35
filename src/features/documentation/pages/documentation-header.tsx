import { Mark } from '../../../platform/pages/layout.js';

/** Navigation of the documentation. */
export const documentationLinks = [
  ['/docs', 'Reference'],
  ['/console', 'Console'],
  ['/errors', 'Errors'],
  ['/changelog', 'Changelog'],
  ['/openapi/v1.yaml', 'YAML'],
  ['/openapi/v1.json', 'JSON'],
  ['/people/settings/oauth_applications', 'Your applications'],
] as const;

/** Header of a page of the documentation. */
export function DocumentationHeader({ current }: { current: (typeof documentationLinks)[number][0] }) {
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <a class="brand" href="/docs">
        <Mark /> People API
      </a>
      <nav aria-label="Documentation">
        <ul>
          {documentationLinks.map(([href, label]) => (
            <li key={href}>
              <a href={href} {...(href === current && { 'aria-current': true })}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}
