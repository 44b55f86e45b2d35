import type { Confirmation, Reauthentication } from '../accounts/reauthentication.js';
import { reauthenticationSeconds } from '../accounts/sessions.js';
import { csrfField } from '../http/browser-sessions.js';
import type { Fields } from './fields.js';
import { confirmationField, type PasswordQuestion } from './page-context.js';
import { describeRejection } from './rejected-password.js';

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
