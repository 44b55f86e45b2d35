import type { Site } from '../site.js';
import { settings } from '../site-page.js';
import { type ApplicationPagesDependencies, requestedApplication } from './application-pages.js';
import { createPages } from './create.js';
import { deletePages } from './delete.js';
import { editPages } from './edit.js';
import { listPage } from './list.js';
import { revokeAccessPages } from './revoke-access.js';
import { secretPages } from './secrets.js';
import { ShowPage } from './show-page.js';

/** Settings → OAuth applications. */
export function applicationPages(site: Site, dependencies: ApplicationPagesDependencies): void {
  const { baseUrl } = dependencies;
  listPage(site, dependencies);
  createPages(site, dependencies);
  site.get(`${settings.applications}/:id`, async (context) => {
    const application = await requestedApplication(context, dependencies);
    return { page: <ShowPage {...{ context, application, baseUrl }} /> };
  });
  editPages(site, dependencies);
  secretPages(site, dependencies);
  revokeAccessPages(site, dependencies);
  deletePages(site, dependencies);
}
