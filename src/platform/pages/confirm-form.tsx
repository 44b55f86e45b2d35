import type { ComponentChildren } from 'preact';
import { CsrfField } from './layout.js';
import type { PageContext } from './page-context.js';

/** Form that confirms a destructive action, with further fields as children. */
export function ConfirmForm(props: {
  context: PageContext;
  action: string;
  button: string;
  cancel: string;
  children?: ComponentChildren;
}) {
  return (
    <form method="post" action={props.action}>
      <CsrfField token={props.context.csrfToken} />
      {props.children}
      <div class="actions">
        <button type="submit" class="danger">
          {props.button}
        </button>
        <a href={props.cancel}>Cancel</a>
      </div>
    </form>
  );
}
