import { CsrfField } from '../../../platform/pages/layout.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { importAddress } from './import-pages.js';

/** Button that cancels an import. */
export function CancelForm({ context, id }: { context: PageContext; id: string }) {
  return (
    <form method="post" action={importAddress(id, 'cancel')}>
      <CsrfField token={context.csrfToken} />
      <button type="submit" class="quiet">
        Cancel import
      </button>
    </form>
  );
}
