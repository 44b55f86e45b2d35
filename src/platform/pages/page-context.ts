import type { FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import type { SignInStage, User } from '../accounts/user.js';
import type { UserAuditContext } from '../audit/audit-log.js';
import type { Section } from './audience.js';
import type { Fields } from './fields.js';
import type { FormError } from './form-parts.js';
import type { PageScript } from './layout.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every form of a page declares it. */
    recentPassword?: RecentPassword;
  }
}

/**
 * When a form needs a recent password, and why. One rule decides: what grants or destroys access or data needs one.
 *
 * - `no`: never
 * - `form`: when it is submitted
 * - `page`: before it is shown, because it has a file, which the question for the password would lose
 * - `write_scopes`: when it grants a scope that writes
 * - `approval`: when an administrator approves an application with it
 */
export type RecentPassword = readonly [
  when: 'no' | 'form' | 'page' | 'write_scopes' | 'approval',
  reason: string,
];

/** The same for a form that the router processes. */
export type FormPassword = readonly [when: 'no' | 'form', reason: string];

/** Request of a signed-in user for a page, or submission of a form. */
export interface PageContext {
  readonly user: User;
  /** User, origin and time of the request, for audit events. */
  readonly auditContext: UserAuditContext;
  /** Id of the session, which is a secret. */
  readonly sessionId: string;
  /** When the user last entered the password. */
  readonly authenticatedAt: Date;
  /** Whether the user signed in at the identity provider, and confirms there. */
  readonly singleSignOn: boolean;
  /** `enrolment`: the user has to set up a second factor before seeing other pages. */
  readonly stage: SignInStage;
  readonly userAgent: string | undefined;
  /** The language of the profile, if it is set, and those of the browser, in the form of `Accept-Language`. */
  readonly languages: string;
  readonly path: string;
  readonly csrfToken: string;
  readonly query: Fields;
  /** Empty without a form. */
  readonly form: Fields;
  /** Creates a signal that aborts when the client disconnects. */
  disconnected(): AbortSignal;
  /** Sends the cookie of the session, whose id may be new, and returns the context for the rest of the request. */
  withSession(sessionId: string): PageContext;
  parameter(name: string): string;
}

export interface Crumb {
  readonly title: string;
  readonly href: string;
}

/** A page: what its frame shows, and its content. */
export interface PageView {
  readonly title: string;
  /** Replaces the heading with the title. */
  readonly heading?: ComponentChildren;
  /** Links beside the heading. */
  readonly actions?: ComponentChildren;
  /** The page between the section and this one. */
  readonly parent?: Crumb | undefined;
  /** Errors of the form, which are shown below the heading and beside the fields. The status is then 400 by default. */
  readonly errors?: readonly FormError[] | undefined;
  /** An error that belongs to no field, above the heading. */
  readonly alert?: string | undefined;
  readonly script?: PageScript;
  readonly body: ComponentChildren;
  /** The section that the page belongs to, if it is not that of its router. */
  readonly section?: Section;
  /** Replaces the context of the request, when the response renews the session. */
  readonly context?: PageContext;
}

/** Response to a request: a page, or a redirect within the site. */
export type PageResponse =
  | (PageView & {
      readonly status?: number | undefined;
      readonly retryAfterSeconds?: number | undefined;
      /** Seconds after which the browser loads the page again. */
      readonly refreshSeconds?: number;
    })
  | { readonly redirect: string };

/** A CSV table that the browser stores as a file. */
export interface CsvFile {
  readonly fileName: string;
  /** Media type of a table in another format. */
  readonly mediaType?: string;
  /** Headings in the formats for Excel. Default: those of the table. */
  readonly labels?: readonly string[];
  /** Formats a batch of rows in an Excel workbook. Default: the values of the table. */
  readonly shownRows?: (rows: readonly (readonly string[])[]) => Promise<string[][]>;
  /** Produces the table until the signal aborts. */
  readonly make: (signal: AbortSignal) => AsyncGenerator<Buffer, void, undefined>;
}

export type PageHandler = (context: PageContext) => Promise<PageResponse>;

/** The user has to enter the password again, before a form is processed. */
export interface PasswordQuestion {
  readonly status: number;
  readonly retryAfterSeconds?: number;
  /** Fields of the form, which the page with the question submits again. */
  readonly fields: readonly (readonly [string, string])[];
  readonly error?: string;
}

/** Name of the field with the password that answers a {@link PasswordQuestion}. */
export const confirmationField = 'confirm_password';

/** Options of the route of a form that needs no recent password, with the reason. */
export function pageForm(reason: string) {
  const recentPassword: RecentPassword = ['no', reason];
  return { config: { recentPassword } };
}

/** The path of a request, without the query. */
export function requestPath({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? url;
}
