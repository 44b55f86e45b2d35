import { keptFormField } from '../../../platform/pages/kept-form.js';

/** The hidden fields of the forms of a sign-in: the requested page, and the form of an expired session. */
export function hiddenFields({
  returnTo,
  keptForm,
}: {
  returnTo: string;
  /** Empty without a form. */
  keptForm: string;
}): (readonly [string, string])[] {
  return [['return_to', returnTo], ...(keptForm === '' ? [] : [[keptFormField, keptForm] as const])];
}
