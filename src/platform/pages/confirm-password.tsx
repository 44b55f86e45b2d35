import type { FastifyReply } from 'fastify';
import type { Confirmation, ConfirmationOutcome, Reauthentication } from '../accounts/reauthentication.js';
import { reauthenticationSeconds } from '../accounts/sessions.js';
import type { User } from '../accounts/user.js';
import { type BrowserSession, csrfField } from '../http/browser-sessions.js';
import { abortOnDisconnect } from '../http/disconnect.js';
import { directorySection } from './audience.js';
import type { Fields } from './fields.js';
import { ErrorSummary, Form, type FormError, TextField, UserNameField } from './form-parts.js';
import { Layout, type Page } from './layout.js';
import {
  confirmationField,
  type PageContext,
  type PageResponse,
  type PasswordQuestion,
} from './page-context.js';
import { confirmPath, settings } from './paths.js';

/** The status and the message of a response to a password that did not confirm the session. */
export function describeRejection(outcome: Exclude<ConfirmationOutcome, { kind: 'confirmed' }>): {
  status: number;
  message: string;
  retryAfterSeconds?: number;
} {
  if (outcome.kind === 'wrong') return { status: 401, message: 'Incorrect password.' };
  const { retryAfterSeconds, today } = outcome;
  const message = today
    ? `Too many incorrect passwords today. Sign out and sign in again, or try again ${inMinutes(retryAfterSeconds)}.`
    : tooMany('failed attempts', retryAfterSeconds);
  return { status: 429, retryAfterSeconds, message };
}

/** The message when a limit is reached, for example "Too many failed attempts. Try again in 20 seconds." */
export function tooMany(events: string, retryAfterSeconds: number): string {
  return `Too many ${events}. Try again in ${retryAfterSeconds} seconds.`;
}

/** For example "in 5 minutes". */
export function inMinutes(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? 'in a minute' : `in ${minutes} minutes`;
}

/** A form that needs a recent password, and the session in which it was submitted. */
interface SubmittedForm extends Omit<Confirmation, 'password'> {
  readonly authenticatedAt: Date;
  readonly singleSignOn: boolean;
  readonly form: Fields;
}

/** The question for the password; `null` when the user has entered it recently, or with this form. */
export async function questionFor(
  reauthentication: Reauthentication,
  { authenticatedAt, singleSignOn, form, ...confirmation }: SubmittedForm,
): Promise<PasswordQuestion | null> {
  const { at } = confirmation.context;
  if (at.getTime() - authenticatedAt.getTime() < reauthenticationSeconds * 1000) return null;
  const fields = form.entries().filter(([name]) => name !== csrfField && name !== confirmationField);
  const password = form.secret(confirmationField);
  if (password === '') return { status: 200, fields };
  if (singleSignOn) return { status: 401, fields, error: 'Sign in again at your identity provider first.' };
  const outcome = await reauthentication.confirm({ ...confirmation, password });
  if (outcome.kind === 'confirmed') return null;
  const { message: error, ...rejection } = describeRejection(outcome);
  return { ...rejection, fields, error };
}

/** The page on which a user enters the password again or signs in again, and which then submits the form. */
export function confirmationPage(context: PageContext, question: PasswordQuestion): PageResponse {
  const { status, retryAfterSeconds } = question;
  return {
    status,
    retryAfterSeconds,
    title: titleOf(context),
    section: directorySection,
    errors: errorsOf({ ...context, ...question }),
    body: <ConfirmationForm {...context} {...question} cancel={settings.root} />,
  };
}

/**
 * Asks the question on a page without navigation, whose form leads to the same address as the submitted one. Sets the status and the
 * headers of the response, and returns the page; `null` when the user has entered the password recently, or with this form.
 *
 * @param address of the submitted form
 */
export async function narrowQuestion(
  reply: FastifyReply,
  reauthentication: Reauthentication,
  {
    session,
    address,
    ...submitted
  }: Pick<SubmittedForm, 'form' | 'context'> & { session: BrowserSession; address: string },
): Promise<Page | null> {
  const { signal } = abortOnDisconnect(reply.raw);
  const confirmation = { ...session, ...submitted, sessionId: session.id, signal };
  const question = await questionFor(reauthentication, confirmation);
  if (question === null) return null;
  reply.code(question.status);
  if (question.retryAfterSeconds !== undefined) reply.header('retry-after', question.retryAfterSeconds);
  const props = { ...session, ...question, cancel: address };
  const title = titleOf(props);
  return (
    <Layout
      title={title}
      narrow
      form={{ csrfToken: session.csrfToken, path: address, errors: errorsOf(props) }}
    >
      <h1>{title}</h1>
      <ErrorSummary />
      <ConfirmationForm {...props} />
    </Layout>
  );
}

interface ConfirmationProps extends Pick<PasswordQuestion, 'fields' | 'error'> {
  readonly user: User;
  /** Whether the user confirms at the identity provider. */
  readonly singleSignOn: boolean;
  readonly cancel: string;
}

function titleOf({ singleSignOn }: Pick<ConfirmationProps, 'singleSignOn'>): string {
  return singleSignOn ? 'Confirm that it is you' : 'Confirm your password';
}

const linkId = 'sign-in-again';

function errorsOf({ singleSignOn, error }: Pick<ConfirmationProps, 'singleSignOn' | 'error'>): FormError[] {
  return error === undefined ? [] : [{ field: singleSignOn ? linkId : confirmationField, message: error }];
}

function ConfirmationForm({ singleSignOn, user, cancel, fields }: ConfirmationProps) {
  return (
    <>
      {singleSignOn ? (
        <SignInAgain />
      ) : (
        <p>You have not entered your password for more than ten minutes. Enter it to continue.</p>
      )}
      <Form validated hidden={fields} button="Continue" cancel={cancel}>
        {singleSignOn ? (
          <input type="hidden" name={confirmationField} value="single sign-on" />
        ) : (
          <>
            <UserNameField email={user.email} />
            <TextField
              id={confirmationField}
              label="Password"
              type="password"
              autocomplete="current-password"
            />
          </>
        )}
      </Form>
    </>
  );
}

/**
 * The link to the identity provider, which is opened in another tab, so that the form stays in this one and its values are
 * not stored on the server.
 */
function SignInAgain() {
  return (
    <>
      <p>
        You have not signed in for more than ten minutes. Sign in again at your identity provider, then come
        back to this page and continue.
      </p>
      <p>
        <a id={linkId} class="button secondary" href={confirmPath} target="_blank" rel="noopener">
          Sign in again (opens in a new tab)
        </a>
      </p>
    </>
  );
}
