import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { csrfField } from '../http/browser-sessions.js';
import { assetAddress } from './assets.js';

/** Scripts of pages: buttons that copy, and passkeys. */
export type PageScript = 'copy.js' | 'passkey.js';

/** A complete HTML page. The renderer escapes all text. */
export function Layout({
  title,
  narrow = false,
  wide = false,
  header,
  description,
  style,
  script,
  feed,
  footer,
  children,
}: {
  title: string;
  /** For pages with one short form. */
  narrow?: boolean;
  /** For pages with tables. */
  wide?: boolean;
  /** Content of the header; the product name by default. */
  header?: ComponentChildren;
  /** A sentence for search engines. */
  description?: string;
  /** A style sheet that only some pages need. */
  style?: 'reference.css';
  /** A script that the page loads. The `Content-Security-Policy` of the response must allow it. */
  script?: PageScript | undefined;
  /** An Atom feed of the content. */
  feed?: { readonly title: string; readonly href: string };
  footer?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · People`}</title>
        {description !== undefined && <meta name="description" content={description} />}
        <link rel="icon" href={assetAddress('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetAddress('pico.css')} />
        <link rel="stylesheet" href={assetAddress('site.css')} />
        {style !== undefined && <link rel="stylesheet" href={assetAddress(style)} />}
        {feed !== undefined && <link rel="alternate" type="application/atom+xml" {...feed} />}
        {script !== undefined && <script src={assetAddress(script)} defer />}
      </head>
      <body>
        <header class="site">{header ?? <Brand />}</header>
        <main id="content" {...((narrow || wide) && { class: narrow ? 'narrow' : 'wide' })}>
          {children}
        </main>
        {footer !== undefined && <footer class="site">{footer}</footer>}
      </body>
    </html>
  );
}

/** The mark beside the name of the product. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
      <circle cx="8" cy="4.5" r="3.5" />
      <path d="M1 16a7 7 0 0 1 14 0z" />
    </svg>
  );
}

function Brand() {
  return (
    <p class="brand">
      <Mark /> People
    </p>
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
