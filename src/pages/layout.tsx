import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { csrfField } from '../http/browser-sessions.js';
import { assetAddress } from './assets.js';

/** A complete HTML page. The renderer escapes all text. */
export function Layout({
  title,
  narrow = false,
  wide = false,
  header,
  script = false,
  children,
}: {
  title: string;
  /** For pages with one short form. */
  narrow?: boolean;
  /** For pages with tables. */
  wide?: boolean;
  /** Content of the header; the product name by default. */
  header?: ComponentChildren;
  /** Loads the script. The `Content-Security-Policy` of the response must allow it. */
  script?: boolean;
  children: ComponentChildren;
}) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · People`}</title>
        <link rel="icon" href={assetAddress('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetAddress('pico.css')} />
        <link rel="stylesheet" href={assetAddress('site.css')} />
        {script && <script src={assetAddress('copy.js')} defer />}
      </head>
      <body>
        <header class="site">{header ?? <p class="brand">People</p>}</header>
        <main id="content" {...((narrow || wide) && { class: narrow ? 'narrow' : 'wide' })}>
          {children}
        </main>
      </body>
    </html>
  );
}

/** Hidden field with the CSRF token, which every form needs. */
export function CsrfField({ token }: { token: string }) {
  return <input type="hidden" name={csrfField} value={token} />;
}

export type Page = Parameters<typeof renderToString>[0];

/** Renders a page as an HTML document. */
export function renderPage(page: Page): string {
  return `<!doctype html>${renderToString(page)}`;
}
