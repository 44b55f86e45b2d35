import type { ComponentChildren } from 'preact';
import type { PageView } from '../../platform/pages/page-context.js';
import { applicationAddress } from '../../platform/pages/paths.js';
import type { ApplicationSummary } from './application-details.js';

/** The pages of an application: the last part of each path, and its title. */
const tabs = {
  overview: 'Overview',
  credentials: 'Credentials',
  usage: 'Usage',
  webhooks: 'Webhooks',
  requests: 'Requests',
} as const;

type ApplicationTab = keyof typeof tabs;

/** Path of a page of an application. */
export function tabAddress(id: string, tab: ApplicationTab): string {
  return tab === 'overview' ? applicationAddress(id) : applicationAddress(id, tab);
}

/** A page of an application, with links to the others below the heading. */
export function applicationPage(
  {
    id,
    name,
    clientType,
    isInstallation,
  }: Pick<ApplicationSummary, 'id' | 'name' | 'clientType' | 'isInstallation'>,
  tab: ApplicationTab,
  view: Pick<PageView, 'alert' | 'body'> & {
    /** Links beside the heading. */
    readonly actions?: ComponentChildren;
  },
): PageView {
  const { actions, ...content } = view;
  // A public application cannot have webhook endpoints. The credentials of an installation are those of its publisher.
  const hidden: Partial<Record<ApplicationTab, boolean>> = {
    webhooks: clientType === 'public',
    credentials: isInstallation,
  };
  const shown = (Object.keys(tabs) as ApplicationTab[]).filter((one) => !hidden[one]);
  return {
    ...content,
    title: tab === 'overview' ? name : `${tabs[tab]} of ${name}`,
    heading: (
      <>
        <div class="heading">
          <h1>{name}</h1>
          {actions}
        </div>
        <nav aria-label="Application" class="tabs">
          <ul>
            {shown.map((one) => (
              <li key={one}>
                <a href={tabAddress(id, one)} {...(one === tab && { 'aria-current': 'page' })}>
                  {tabs[one]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </>
    ),
  };
}
