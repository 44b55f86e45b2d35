import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { csrfField } from '../http/browser-sessions.js';

/** A whole page; everything in it is escaped by the renderer. */
export function Layout({
  title,
  narrow = false,
  children,
}: {
  title: string;
  /** For a page that is one short form. */
  narrow?: boolean;
  children: ComponentChildren;
}) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · People`}</title>
        <link rel="stylesheet" href="/assets/pico.css" />
        <link rel="stylesheet" href="/assets/site.css" />
      </head>
      <body>
        <main {...(narrow && { class: 'narrow' })}>{children}</main>
      </body>
    </html>
  );
}

/** Hidden field that every form carries. */
export function CsrfField({ token }: { token: string }) {
  return <input type="hidden" name={csrfField} value={token} />;
}

/** The HTML document for a page. */
export function renderPage(page: Parameters<typeof renderToString>[0]): string {
  return `<!doctype html>${renderToString(page)}`;
}
