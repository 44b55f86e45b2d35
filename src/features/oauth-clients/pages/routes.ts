import type { SettingsPage } from '../../../platform/pages/define-pages.js';
import { settings } from '../../../platform/pages/paths.js';
import { type UsagePageDependencies, usagePage } from '../../usage/index.js';
import { type WebhookPagesDependencies, webhookPages } from '../../webhooks/index.js';
import type { ApplicationPagesDependencies } from './application-pages.js';
import { editPages } from './edit.js';
import { listPage } from './list.js';
import { revocationPages } from './revocation.js';
import { secretPages } from './secrets.js';
import { showPages } from './show.js';

/** Settings → OAuth applications. */
export const applicationPages: SettingsPage<
  ApplicationPagesDependencies & UsagePageDependencies & WebhookPagesDependencies
> = {
  title: 'OAuth applications',
  path: settings.applications,
  audience: 'administrators',
  register(site, dependencies) {
    listPage(site, dependencies);
    editPages(site, dependencies);
    showPages(site, dependencies);
    usagePage(site, dependencies);
    webhookPages(site, dependencies);
    secretPages(site, dependencies);
    revocationPages(site, dependencies);
  },
};
