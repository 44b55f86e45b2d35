import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { csrfField } from '../http/browser-sessions.js';
import { assetAddress } from './assets.js';

/** A whole page; everything in it is escaped by the renderer. */
export function Layout({
  title,
  narrow = false,
  wide = false,
  header,
  script = false,
  children,
}: {
  title: string;
  /** For a page that is one short form. */
  narrow?: boolean;
  /** For a page that is a table. */
  wide?: boolean;
  /** What stands above the page's own content; the product's name by default. */
  header?: ComponentChildren;
  /** Loads the script; the answer's headers have to allow it. */
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

/** Hidden field that every form carries. */
export function CsrfField({ token }: { token: string }) {
  return <input type="hidden" name={csrfField} value={token} />;
}

export type Page = Parameters<typeof renderToString>[0];

/** The HTML document for a page. */
export function renderPage(page: Page): string {
  return `<!doctype html>${renderToString(page)}`;
}
