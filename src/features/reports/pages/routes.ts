import type { Site } from '../../../platform/pages/site.js';
import { createPages } from './create.js';
import { deletePages } from './delete.js';
import { editPages } from './edit.js';
import { listPage } from './list.js';
import type { ReportPagesDependencies } from './report-pages.js';
import { showPages } from './show.js';

/** Reports: the list, and pages that create, run, change and delete one. For owners and administrators. */
export function reportPages(site: Site, dependencies: ReportPagesDependencies): void {
  listPage(site, dependencies);
  createPages(site, dependencies);
  showPages(site, dependencies);
  editPages(site, dependencies);
  deletePages(site, dependencies);
}
