import type { Site } from '../../../platform/pages/site.js';
import { columnsPages } from './columns.js';
import type { ImportPagesDependencies } from './import-pages.js';
import { statusPages } from './status.js';
import { uploadPages } from './upload.js';

/** Import of employees from a file, for owners and administrators. */
export function importPages(site: Site, dependencies: ImportPagesDependencies): void {
  uploadPages(site, dependencies);
  columnsPages(site, dependencies);
  statusPages(site, dependencies);
}
