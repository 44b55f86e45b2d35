import type { ComponentChildren } from 'preact';
import type { SignedInUser } from '../http/browser-sessions.js';
import { CsrfField, Layout } from './layout.js';
import { NoticeBox } from './notice-box.js';
import { home } from './return-to.js';
import { isAdministrator, type PageContext } from './site.js';

/** Paths of the settings pages. */
export const settings = {
  root: '/people/settings',
  account: '/people/settings/account',
  users: '/people/settings/users',
  applications: '/people/settings/oauth_applications',
  connected: '/people/settings/connected_applications',
  auditLog: '/people/settings/audit_log',
} as const;

export type SettingsPage = Exclude<keyof typeof settings, 'root'>;

/** The first settings page that the user may see. */
export function firstSettingsPage(user: PageContext['user']): string {
  return isAdministrator(user) ? settings.applications : settings.connected;
}

/** Page for a signed-in user, with navigation and the notice of the last form. */
export function SitePage({
  context,
  title,
  hasErrors = false,
  current,
  script = false,
  children,
}: {
  context: PageContext;
  title: string;
  /** Whether the page shows errors of a form. */
  hasErrors?: boolean;
  /** The settings page that this page is or belongs to; absent in the directory. */
  current?: SettingsPage;
  script?: boolean;
  children: ComponentChildren;
}) {
  return (
    <Layout
      title={hasErrors ? `Error: ${title}` : title}
      wide
      script={script}
      header={<SiteHeader {...context} current={current === undefined ? 'directory' : 'settings'} />}
    >
      {current !== undefined && <SettingsNavigation {...context} current={current} />}
      <NoticeBox code={context.query.text('notice')} />
      {children}
    </Layout>
  );
}

/** Error page for a signed-in user, with navigation. */
export function SiteErrorPage({
  title,
  user,
  csrfToken,
  path,
  children,
}: SignedInUser & { title: string; path: string; children: ComponentChildren }) {
  const inSettings = path === settings.root || path.startsWith(`${settings.root}/`);
  return (
    <Layout
      title={title}
      wide
      header={<SiteHeader user={user} csrfToken={csrfToken} {...(inSettings && { current: 'settings' })} />}
    >
      {inSettings && <SettingsNavigation user={user} path={path} />}
      {children}
    </Layout>
  );
}

/** `current`: the part of the site that the page belongs to. */
function SiteHeader({ user, csrfToken, current }: SignedInUser & { current?: 'directory' | 'settings' }) {
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <nav aria-label="Main">
        <ul>
          <li>
            <a href={home} {...(current === 'directory' && { 'aria-current': 'page' })}>
              People
            </a>
          </li>
          <li>
            <a href={settings.root} {...(current === 'settings' && { 'aria-current': 'true' })}>
              Settings
            </a>
          </li>
        </ul>
      </nav>
      <div class="who">
        <p>
          <strong>{user.accountName}</strong> <span>{user.email}</span>
        </p>
        <form method="post" action="/sign_out">
          <CsrfField token={csrfToken} />
          <button type="submit" class="quiet">
            Sign out
          </button>
        </form>
      </div>
    </>
  );
}

function SettingsNavigation({
  user,
  path,
  current,
}: Pick<PageContext, 'user' | 'path'> & { current?: SettingsPage }) {
  const links = (
    [
      ['account', 'My account', false],
      ['connected', 'Connected applications', false],
      ['users', 'Users', true],
      ['applications', 'OAuth applications', true],
      ['auditLog', 'Audit log', true],
    ] as const
  ).filter(([, , administratorsOnly]) => !administratorsOnly || isAdministrator(user));
  return (
    <nav aria-label="Settings" class="tabs">
      <ul>
        {links.map(([page, label]) => (
          <li key={page}>
            <a
              href={settings[page]}
              {...(page === current && { 'aria-current': path === settings[page] ? 'page' : 'true' })}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
