import type { ComponentChildren } from 'preact';
import { CsrfField } from '../../../platform/pages/layout.js';

/** Name of the field with the response of the browser. */
export const credentialField = 'credential';

/** Form with a button that creates or uses a passkey. It is hidden until the script of the page shows it. */
export function PasskeyForm({
  action,
  csrfToken,
  kind,
  options,
  fields = [],
  button,
  secondary = false,
  children,
}: {
  action: string;
  csrfToken: string;
  kind: 'create' | 'use';
  /** Options for the browser, which can be written as JSON. */
  options: object;
  /** Names and values of hidden fields. */
  fields?: readonly (readonly [string, string])[];
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
      <CsrfField token={csrfToken} />
      <input type="hidden" name={credentialField} />
      {fields.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
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
