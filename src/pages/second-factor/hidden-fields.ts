import { keptFormField } from '../kept-form.js';

/** The hidden fields of the forms of a sign-in: where to go afterwards, and a form whose session had expired. */
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
