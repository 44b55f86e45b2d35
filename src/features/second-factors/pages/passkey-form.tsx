import type { ComponentChildren } from 'preact';
import { Hidden, type HiddenFields } from '../../../platform/pages/form-parts.js';
import { keptFormField } from '../../../platform/pages/kept-form.js';

/** The hidden fields of the forms of a sign-in: the requested page, and the form of an expired session. */
export function hiddenFields({
  returnTo,
  keptForm,
}: {
  returnTo: string;
  /** Empty without a form. */
  keptForm: string;
}): HiddenFields {
  return [['return_to', returnTo], ...(keptForm === '' ? [] : [[keptFormField, keptForm] as const])];
}

/** Name of the field with the response of the browser. */
export const credentialField = 'credential';

/** Form with a button that creates or uses a passkey. It is hidden until the script of the page shows it. */
export function PasskeyForm({
  action,
  kind,
  options,
  fields = [],
  button,
  secondary = false,
  children,
}: {
  action: string;
  kind: 'create' | 'use';
  /** Options for the browser, which can be written as JSON. */
  options: object;
  fields?: HiddenFields;
  button: string;
  /** Whether another button of the page is more important. */
  secondary?: boolean;
  /** Visible fields. */
  children?: ComponentChildren;
}) {
  return (
    <form
      method="post"
      action={action}
      class="fields"
      hidden
      data-passkey={kind}
      data-options={JSON.stringify(options)}
    >
      <Hidden fields={fields} />
      <input type="hidden" name={credentialField} />
      {children}
      <button type="submit" {...(secondary && { class: 'secondary' })}>
        {button}
      </button>
      <p role="status" class="hint" />
    </form>
  );
}

/** Message for users without JavaScript or passkeys. The script removes it. */
export function NoPasskeyHint({ children }: { children: ComponentChildren }) {
  return (
    <p id="no-passkey" class="hint">
      {children}
    </p>
  );
}
