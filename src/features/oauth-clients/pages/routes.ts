import { requestedApplication } from '../../../oauth/clients/requested-application.js';
import type { SettingsPage } from '../../../platform/pages/define-pages.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { lastDays, sumOf, type UsagePageDependencies, usageDays, usagePage } from '../../usage/index.js';
import { type WebhookPagesDependencies, webhookPages } from '../../webhooks/index.js';
import type { ApplicationPagesDependencies } from './application-pages.js';
import { createPages } from './create.js';
import { deletePages } from './delete.js';
import { editPages } from './edit.js';
import { listPage } from './list.js';
import { revokeAccessPages } from './revoke-access.js';
import { secretPages } from './secrets.js';
import { showPage } from './show-page.js';

/** Settings → OAuth applications. */
export const applicationPages: SettingsPage<
  ApplicationPagesDependencies & UsagePageDependencies & WebhookPagesDependencies
> = {
  title: 'OAuth applications',
  path: settings.applications,
  audience: 'administrators',
  register(site, dependencies) {
    const { baseUrl } = dependencies;
    listPage(site, dependencies);
    createPages(site, dependencies);
    site.get(applicationAddress(':id'), async (context) => {
      const application = await requestedApplication(context, dependencies);
      const { accountId, at } = context.auditContext;
      const range = lastDays(at, usageDays);
      const [usage, endpoints] = await Promise.all([
        dependencies.usage.usageByOperationOf(accountId, application.id, range).then(sumOf),
        dependencies.webhooks.endpoints.list({ accountId, applicationId: application.id }),
      ]);
      return showPage({ application, baseUrl, usage, endpoints });
    });
    usagePage(site, dependencies);
    webhookPages(site, dependencies);
    editPages(site, dependencies);
    secretPages(site, dependencies);
    revokeAccessPages(site, dependencies);
    deletePages(site, dependencies);
  },
};
