import { type ExcelSeparator, excelCsv, excelSeparator } from '../../../platform/pages/csv-formats.js';
import { actionForm } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import type { EmployeeUpload } from '../uploads/employee-uploads.js';
import { rejectedCsv } from '../uploads/rejected-rows.js';
import { columnsPage, columnsPages } from './columns.js';
import {
  type ImportPagesDependencies,
  importAddress,
  isRunning,
  isWorkbook,
  rejectedAddress,
  requestedImport,
} from './import-pages.js';
import { statusPage } from './status-page.js';
import { undoPages } from './undo.js';
import { uploadPages } from './upload.js';

/** Rejected lines on a page. */
const errorsOnPage = 100;

const refreshSeconds = 2;

/** The page of an import in each state, and its steps. */
function statusPages(site: PageRouter, dependencies: ImportPagesDependencies): void {
  const { uploads, uploadSteps, importUndo, wakeImports } = dependencies;
  const path = importAddress(':id');

  site.get(path, async (context) => {
    const upload = await requestedImport(context, dependencies);
    const { accountId } = context.user;
    if (upload.state === 'uploaded') {
      const preview = await uploads.preview({ accountId, id: upload.id }, upload);
      return columnsPage({ upload, members: await uploads.members(accountId), preview, chosen: upload });
    }
    const after = lineIn(context.query.text('after'));
    const found = await uploads.errors({ accountId, id: upload.id }, upload, {
      after,
      size: errorsOnPage + 1,
    });
    const errors = found.slice(0, errorsOnPage);
    const next = found.length > errorsOnPage ? errors.at(-1)?.line : undefined;
    const canUndo = await importUndo.canUndo(accountId, upload);
    const paused = context.query.text('refresh') === 'off';
    const members = upload.state === 'checked' ? await uploads.members(accountId) : [];
    return {
      ...statusPage({ upload, members, errors, after, next, paused, canUndo }),
      ...(isRunning(upload) && !paused && { refreshSeconds }),
    };
  });

  // Always for Excel: others have chosen the values, and the user corrects them there.
  site.download(rejectedAddress(':id'), async (context) => {
    const upload = await requestedImport(context, dependencies);
    const { id, columns } = upload;
    const rows = await uploads.rejectedRows({ accountId: context.user.accountId, id });
    return {
      fileName: 'rejected-rows.csv',
      make: () => excelCsv(chunksOf(rejectedCsv(columns, rows)), separatorOf(upload, context.languages)),
    };
  });

  const back = async (context: PageContext) =>
    importAddress((await requestedImport(context, dependencies)).id);

  actionForm(site, importAddress(':id', 'start'), {
    recentPassword: ['form', 'replaces values of many records'],
    back,
    save: async (context) => {
      const { id } = await requestedImport(context, dependencies);
      const outcome = await uploadSteps.startImport(context.auditContext, id);
      if (outcome === 'started') wakeImports();
      const address = importAddress(id);
      return { redirect: outcome === 'running' ? withFlash(address, 'import_running') : address };
    },
  });

  actionForm(site, importAddress(':id', 'cancel'), {
    recentPassword: ['no', 'deletes only the uploaded copy of a file'],
    back,
    save: async (context) => {
      const { id } = await requestedImport(context, dependencies);
      await uploadSteps.cancel(context.auditContext, id);
      return { redirect: importAddress(id) };
    },
  });
}

/** That of the uploaded file, which Excel of the user has written or can open. Other files have none that Excel opens. */
function separatorOf(upload: EmployeeUpload, languages: string): ExcelSeparator {
  const { delimiter } = upload;
  const isKept = !isWorkbook(upload) && (delimiter === ',' || delimiter === ';');
  return isKept ? delimiter : excelSeparator(languages);
}

async function* chunksOf(content: Buffer) {
  yield content;
}

/** The line after which errors are shown. */
function lineIn(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Import of employees from a file, for owners and administrators. */
export function importPages(site: PageRouter, dependencies: ImportPagesDependencies): void {
  uploadPages(site, dependencies);
  columnsPages(site, dependencies);
  statusPages(site, dependencies);
  undoPages(site, dependencies);
}
