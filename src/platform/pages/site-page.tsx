import type { ComponentChildren } from 'preact';
import type { SignedInUser } from '../http/browser-sessions.js';
import { CsrfField, Layout, Logo, type PageScript } from './layout.js';
import { NoticeBox } from './notices.js';
import { isAdministrator, type PageContext } from './page-context.js';
import { home, reportsPath, settings } from './paths.js';

/** A page in the breadcrumbs. */
export interface Crumb {
  readonly title: string;
  readonly href: string;
}

const titles: Readonly<Record<SettingsPage, string>> = {
  account: 'My account',
  connected: 'Connected applications',
  users: 'Users',
  applications: 'OAuth applications',
  security: 'Security',
  singleSignOn: 'Single sign-on',
  auditLog: 'Audit log',
};

/** Pages for owners and administrators only. */
const administration: ReadonlySet<SettingsPage> = new Set(['users', 'applications', 'security', 'auditLog']);

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
  section = current === undefined ? 'directory' : 'settings',
  parent,
  script,
  children,
}: {
  context: PageContext;
  title: string;
  /** Whether the page shows errors of a form. */
  hasErrors?: boolean;
  /** The settings page that this page is or belongs to; absent in the directory. */
  current?: SettingsPage;
  /** The part of the site that the page belongs to. */
  section?: Section;
  /** The page between the settings page, the list of reports or the directory, and this one. */
  parent?: Crumb;
  script?: PageScript;
  children: ComponentChildren;
}) {
  const root = rootOf(section, current);
  // A form is submitted to the address of the list to which it adds a record.
  const isRoot = context.path === root.href && title === root.title;
  if (context.stage === 'enrolment') {
    return (
      <Layout title={hasErrors ? `Error: ${title}` : title} narrow script={script}>
        {children}
        <SignOutForm csrfToken={context.csrfToken} />
      </Layout>
    );
  }
  return (
    <Layout
      title={hasErrors ? `Error: ${title}` : title}
      wide
      script={script}
      header={<SiteHeader {...context} current={section} />}
    >
      {current !== undefined && <SettingsNavigation {...context} isRoot={isRoot} current={current} />}
      {!isRoot && <Breadcrumbs root={root} parent={parent} title={title} />}
      <NoticeBox code={context.query.text('notice')} />
      {children}
    </Layout>
  );
}

/** The page with which the breadcrumbs start. */
function rootOf(section: Section, current: SettingsPage | undefined): Crumb {
  if (current !== undefined) return { title: titles[current], href: settings[current] };
  return section === 'reports' ? { title: 'Reports', href: reportsPath } : { title: 'Directory', href: home };
}

/** Error page for a signed-in user, with navigation. */
export function SiteErrorPage({
  title,
  user,
  csrfToken,
  path,
  children,
}: SignedInUser & { title: string; path: string; children: ComponentChildren }) {
  const isBelow = (root: string) => path === root || path.startsWith(`${root}/`);
  const inSettings = isBelow(settings.root);
  const section = inSettings ? 'settings' : isBelow(reportsPath) ? 'reports' : undefined;
  return (
    <Layout title={title} wide header={<SiteHeader user={user} csrfToken={csrfToken} current={section} />}>
      {inSettings && <SettingsNavigation user={user} />}
      {children}
    </Layout>
  );
}

/** A part of the site. */
type Section = 'directory' | 'reports' | 'settings';

/** `current`: the part of the site that the page belongs to. */
function SiteHeader({ user, csrfToken, current }: SignedInUser & { current: Section | undefined }) {
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <a class="brand" href={home}>
        <Logo /> People
      </a>
      <nav aria-label="Main">
        <ul>
          <li>
            <a href={home} {...(current === 'directory' && { 'aria-current': 'page' })}>
              Directory
            </a>
          </li>
          {isAdministrator(user) && (
            <li>
              <a href={reportsPath} {...(current === 'reports' && { 'aria-current': 'true' })}>
                Reports
              </a>
            </li>
          )}
          <li>
            <a href={settings.root} {...(current === 'settings' && { 'aria-current': 'true' })}>
              Settings
            </a>
          </li>
          <li>
            <a href="/docs">API reference</a>
          </li>
        </ul>
      </nav>
      <div class="who">
        <details class="menu">
          <summary>
            {user.givenName} {user.familyName}
          </summary>
          <div>
            <p>
              <strong>
                <bdi>{user.accountName}</bdi>
              </strong>{' '}
              <span>{user.email}</span>
            </p>
            <ul>
              <li>
                <a href={settings.account}>My account</a>
              </li>
              <li>
                <a href={settings.connected}>Connected applications</a>
              </li>
            </ul>
          </div>
        </details>
        <SignOutForm csrfToken={csrfToken} />
      </div>
    </>
  );
}

/** Button that signs the user out. */
export function SignOutForm({ csrfToken }: { csrfToken: string }) {
  return (
    <form method="post" action="/sign_out">
      <CsrfField token={csrfToken} />
      <button type="submit" class="quiet">
        Sign out
      </button>
    </form>
  );
}

/** `isRoot`: whether the page is `current`, and not a page below it. */
function SettingsNavigation({
  user,
  isRoot = false,
  current,
}: Pick<PageContext, 'user'> & { isRoot?: boolean; current?: SettingsPage }) {
  const pages = (Object.keys(titles) as SettingsPage[]).filter(
    (page) =>
      (!administration.has(page) || isAdministrator(user)) &&
      (page !== 'singleSignOn' || user.role === 'owner'),
  );
  return (
    <nav aria-label="Settings" class="tabs">
      <ul>
        {pages.map((page) => (
          <li key={page}>
            <a href={settings[page]} {...(page === current && { 'aria-current': isRoot ? 'page' : 'true' })}>
              {titles[page]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Breadcrumbs of a page below a settings page, the list of reports or the directory. */
function Breadcrumbs({ root, parent, title }: { root: Crumb; parent: Crumb | undefined; title: string }) {
  return (
    <nav aria-label="Breadcrumbs" class="crumbs">
      <ol>
        <li>
          <a href={root.href}>{root.title}</a>
        </li>
        {parent !== undefined && (
          <li>
            <a href={parent.href}>{parent.title}</a>
          </li>
        )}
        <li aria-current="page">{title}</li>
      </ol>
    </nav>
  );
}
