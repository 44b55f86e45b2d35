import type { ComponentChildren } from 'preact';
import { CsrfField, Layout } from './layout.js';
import { noticeFor } from './notices.js';
import { home } from './return-to.js';
import { isAdministrator, type Visit } from './site.js';

/** Addresses of the settings pages. */
export const settings = {
  root: '/people/settings',
  applications: '/people/settings/oauth_applications',
  connected: '/people/settings/connected_applications',
  auditLog: '/people/settings/audit_log',
} as const;

export type SettingsPage = Exclude<keyof typeof settings, 'root'>;

/** The first settings page that a person may see. */
export function firstSettingsPage(user: Visit['user']): string {
  return isAdministrator(user) ? settings.applications : settings.connected;
}

/** A page for a signed-in person: the way around the site, and what the last form did. */
export function SitePage({
  visit,
  title,
  faulty = false,
  current,
  script = false,
  children,
}: {
  visit: Visit;
  title: string;
  /** Whether the page says what is wrong with a form. */
  faulty?: boolean;
  /** Which settings page this is, or belongs to; absent in the directory. */
  current?: SettingsPage;
  script?: boolean;
  children: ComponentChildren;
}) {
  const notice = noticeFor(visit.query.text('notice'));
  return (
    <Layout
      title={faulty ? `Error: ${title}` : title}
      wide
      script={script}
      header={<SiteHeader visit={visit} inSettings={current !== undefined} />}
    >
      {current !== undefined && <SettingsNavigation visit={visit} current={current} />}
      {notice !== undefined && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      {children}
    </Layout>
  );
}

function SiteHeader({ visit, inSettings }: { visit: Visit; inSettings: boolean }) {
  const { user, csrfToken } = visit;
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <nav aria-label="Main">
        <ul>
          <li>
            <a href={home} {...(!inSettings && { 'aria-current': 'page' })}>
              People
            </a>
          </li>
          <li>
            <a href={settings.root} {...(inSettings && { 'aria-current': 'true' })}>
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

function SettingsNavigation({ visit, current }: { visit: Visit; current: SettingsPage }) {
  const links = (
    [
      ['applications', 'OAuth applications', true],
      ['connected', 'Connected applications', false],
      ['auditLog', 'Audit log', true],
    ] as const
  ).filter(([, , administratorsOnly]) => !administratorsOnly || isAdministrator(visit.user));
  return (
    <nav aria-label="Settings" class="tabs">
      <ul>
        {links.map(([page, words]) => (
          <li key={page}>
            <a
              href={settings[page]}
              {...(page === current && { 'aria-current': visit.path === settings[page] ? 'page' : 'true' })}
            >
              {words}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
