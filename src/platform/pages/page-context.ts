import type { SignInStage } from '../accounts/sign-in-stage.js';
import type { User } from '../accounts/user.js';
import type { UserAuditContext } from '../audit/audit-log.js';
import type { Fields } from './fields.js';
import type { Page } from './layout.js';

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
  readonly path: string;
  readonly csrfToken: string;
  readonly query: Fields;
  /** Empty without a form. */
  readonly form: Fields;
  /** Creates a signal that aborts when the client disconnects. */
  disconnected(): AbortSignal;
  /** Sends the cookie of the session, whose id may be new, and returns the context for the rest of the request. */
  withSession(sessionId: string): PageContext;
  /** Value of a path parameter. */
  parameter(name: string): string;
}

/** Response to a request: a page, or a redirect within the site. */
export type PageResponse =
  | {
      readonly page: Page;
      readonly status?: number;
      /** Value of the header `Retry-After`. */
      readonly retryAfterSeconds?: number;
      /** Seconds after which the browser loads the page again. */
      readonly refreshSeconds?: number;
      /** Whether the page may load the script. */
      readonly script?: boolean;
    }
  | { readonly redirect: string };

/** A CSV table that the browser stores as a file. */
export interface CsvFile {
  readonly fileName: string;
  /** Produces the table until the signal aborts. */
  readonly make: (signal: AbortSignal) => AsyncGenerator<Buffer, void, undefined>;
}

export type PageHandler = (context: PageContext) => Promise<PageResponse>;

/** The user has to enter the password again, before a form is processed. */
export interface PasswordQuestion {
  readonly status: number;
  /** Value of the header `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Fields of the form, which the page with the question submits again. */
  readonly fields: readonly (readonly [string, string])[];
  /** Error of the password. */
  readonly error?: string;
}

/** Name of the field with the password that answers a {@link PasswordQuestion}. */
export const confirmationField = 'confirm_password';

/** Whether a user may see and change the settings of the account. */
export function isAdministrator({ role }: Pick<User, 'role'>): boolean {
  return role === 'owner' || role === 'admin';
}
