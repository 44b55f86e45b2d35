import type { Core } from '../../platform/core.js';
import { EmployeeUploads } from './uploads/employee-uploads.js';
import { ImportUndo } from './uploads/import-undo.js';
import { UploadSteps } from './uploads/upload-steps.js';
import type { UploadWorker } from './uploads/upload-worker.js';

/** Creates the services for imports of uploaded files, which the worker runs. */
export function createImports({ database }: Core, uploadWorker: UploadWorker) {
  return {
    uploads: new EmployeeUploads(database),
    importUndo: new ImportUndo(database),
    uploadSteps: new UploadSteps(database),
    /** Starts queued imports in this process. */
    wakeImports: () => uploadWorker.wake(),
  };
}
