import { CsrfField } from './layout.js';
import type { Visit } from './site.js';

/** The form at the end of a page that asks before something stops working. */
export function ConfirmForm(props: { visit: Visit; action: string; button: string; cancel: string }) {
  return (
    <form method="post" action={props.action}>
      <CsrfField token={props.visit.csrfToken} />
      <div class="actions">
        <button type="submit" class="danger">
          {props.button}
        </button>
        <a href={props.cancel}>Cancel</a>
      </div>
    </form>
  );
}
