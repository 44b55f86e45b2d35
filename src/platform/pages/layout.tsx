import type { FastifyReply } from 'fastify';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { assetAddress } from './assets.js';
import { FormContext, type FormState } from './form-parts.js';
import { type PagePermissions, privatePageHeaders } from './security-headers.js';

/** Scripts of pages: buttons that copy, passkeys, the reference, people, the form and the chart of a report, the API console. */
export type PageScript =
  | 'copy.js'
  | 'passkey.js'
  | 'reference.js'
  | 'report-builder.js'
  | 'chart-image.js'
  | 'people.js'
  | 'swagger-ui.js'
  | 'console.js'
  | 'console-callback.js';

/** Style sheets of pages. `console.css` contains those of the other pages. */
type PageStyle = 'pico.css' | 'site.css' | 'reference.css' | 'swagger-ui.css' | 'console.css';

/** Scripts that send requests to this server. */
export const requestingScripts: ReadonlySet<PageScript> = new Set(['report-builder.js', 'people.js']);

/** Scripts that import others. */
const modules: ReadonlySet<PageScript> = new Set(['console.js']);

const defaultStyles: readonly PageStyle[] = ['pico.css', 'site.css'];

/** Name of the product. */
const product = 'People';

/** A complete HTML page. The renderer escapes all text. */
export function Layout({
  title,
  narrow = false,
  wide = false,
  header,
  sidebar,
  description,
  script = [],
  styles = defaultStyles,
  feed,
  footer,
  form = { csrfToken: '', path: '' },
  children,
}: {
  title: string;
  /** For pages with one short form. */
  narrow?: boolean;
  /** For pages with tables. */
  wide?: boolean;
  /** Content of the header; the product name by default. */
  header?: ComponentChildren;
  /** Content of the header of a page for signed-in users, which is a sidebar on wide screens. */
  sidebar?: ComponentChildren;
  /** A sentence for search engines. */
  description?: string;
  /** Scripts that the page loads. The `Content-Security-Policy` of the response must allow them. */
  script?: PageScript | readonly PageScript[] | undefined;
  styles?: readonly PageStyle[];
  feed?: { readonly title: string; readonly href: string };
  footer?: ComponentChildren;
  /** State of the forms of the page. With errors, the title says so. */
  form?: FormState | undefined;
  children: ComponentChildren;
}) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${form.errors?.length ? 'Error: ' : ''}${title === product ? '' : `${title} · `}${product}`}</title>
        {description !== undefined && <meta name="description" content={description} />}
        <link rel="icon" href={assetAddress('icon.svg')} type="image/svg+xml" />
        {styles.map((name) => (
          <link key={name} rel="stylesheet" href={assetAddress(name)} />
        ))}
        {feed !== undefined && <link rel="alternate" type="application/atom+xml" {...feed} />}
        {[script].flat().map((name) => (
          <script
            key={name}
            src={assetAddress(name)}
            {...(modules.has(name) ? { type: 'module' } : { defer: true })}
          />
        ))}
      </head>
      <body {...(sidebar !== undefined && { class: 'with-sidebar' })}>
        <header class="site">{sidebar ?? header ?? <Brand />}</header>
        <main id="content" {...((narrow || wide) && { class: narrow ? 'narrow' : 'wide' })}>
          <FormContext.Provider value={form}>{children}</FormContext.Provider>
        </main>
        {footer !== undefined && <footer class="site">{footer}</footer>}
      </body>
    </html>
  );
}

/** Start of the header of a page with navigation: a link that skips the header, and the name as a link. */
export function HeaderStart({ href, name }: { href: string; name: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <a class="brand" href={href}>
        <Logo /> <span>{name}</span>
      </a>
    </>
  );
}

/** A link for pages outside of a session. */
export function BackToSignIn() {
  return (
    <p>
      <a href="/sign_in">Back to sign-in</a>
    </p>
  );
}

/** The mark beside the name of the product. */
function Logo() {
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
      <Logo /> {product}
    </p>
  );
}

export type Page = Parameters<typeof renderToString>[0];

export function renderPage(page: Page): string {
  return `<!doctype html>${renderToString(page)}`;
}

/** Sends a page that must not be cached. The caller has set the status, unless it is 200. */
export function sendPage(reply: FastifyReply, page: Page, permissions?: PagePermissions): FastifyReply {
  return reply
    .headers(privatePageHeaders(permissions))
    .type('text/html; charset=utf-8')
    .send(renderPage(page));
}
