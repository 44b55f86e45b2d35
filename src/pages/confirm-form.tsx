import { CsrfField } from './layout.js';
import type { PageContext } from './page-context.js';

/** Form that confirms a destructive action. */
export function ConfirmForm(props: { context: PageContext; action: string; button: string; cancel: string }) {
  return (
    <form method="post" action={props.action}>
      <CsrfField token={props.context.csrfToken} />
      <div class="actions">
        <button type="submit" class="danger">
          {props.button}
        </button>
        <a href={props.cancel}>Cancel</a>
      </div>
    </form>
  );
}
