import { numberText } from '../../../platform/counted.js';
import { confirmPage, ImmediateEffects } from '../../../platform/pages/define-pages.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { type ImportPagesDependencies, importAddress, requestedImport } from './import-pages.js';

/** The page that undoes an import. */
export function undoPages(site: PageRouter, dependencies: ImportPagesDependencies): void {
  confirmPage(site, importAddress(':id', 'undo'), {
    reason: 'destroys records and replaces values',
    view: async (context) => {
      const upload = await requestedImport(context, dependencies);
      const { id } = upload;
      const address = importAddress(id);
      const { accountId } = context.user;
      if (!(await dependencies.importUndo.canUndo(accountId, upload))) return { redirect: address };
      const { created, updated } = await dependencies.importUndo.counts({ accountId, id });
      return {
        title: 'Undo import?',
        parent: { title: 'Import', href: address },
        button: 'Undo import',
        cancel: address,
        body: (
          <div class="warning">
            <ImmediateEffects />
            <ul>
              {created > 0 && (
                <li>
                  Employees that the import created are deleted: {numberText(created)}. Their direct reports
                  have no manager afterwards.
                </li>
              )}
              {updated > 0 && (
                <li>Employees that it updated have their earlier values again: {numberText(updated)}.</li>
              )}
              <li>People who were changed since stay as they are.</li>
            </ul>
          </div>
        ),
      };
    },
    save: async (context) => {
      const { id } = await requestedImport(context, dependencies);
      await dependencies.importUndo.undo(context.auditContext, id);
      return { redirect: importAddress(id) };
    },
  });
}
