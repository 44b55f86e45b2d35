import type { ComponentChildren } from 'preact';
import type { SignedInUser } from '../http/browser-sessions.js';
import { FlashMessage } from './flash.js';
import { CsrfField, ErrorSummary } from './form-parts.js';
import { HeaderStart, Layout } from './layout.js';
import type { Crumb, PageContext, PageView } from './page-context.js';
import { home, reportsPath, settings } from './paths.js';
import { belongsTo, isAdministrator, type Section } from './sections.js';
import { ViewerContext } from './timestamp.js';

/** Page for a signed-in user, with navigation and the flash message of the last form. */
export function SitePage({
  context,
  view: {
    title,
    actions,
    heading = <Heading {...{ title, actions }} />,
    parent,
    errors = [],
    alert,
    script,
    body,
  },
  section,
  settingsPages,
}: {
  context: PageContext;
  view: PageView;
  section: Section;
  /** The settings pages, in the order of their navigation. */
  settingsPages: readonly Section[];
}) {
  const { csrfToken, path } = context;
  // A form is submitted to the address of the list to which it adds a record.
  const isRoot = path === section.path && title === section.title;
  const frame = {
    title: alert === undefined ? title : `Error: ${title}`,
    script,
    form: { csrfToken, path, errors },
  };
  const content = (
    <ViewerContext.Provider value={context.user}>
      {alert !== undefined && (
        <p class="alert" role="alert">
          {alert}
        </p>
      )}
      {heading}
      <ErrorSummary />
      {body}
    </ViewerContext.Provider>
  );
  if (context.stage === 'enrolment') {
    return (
      <Layout {...frame} narrow>
        {content}
        <SignOutForm csrfToken={csrfToken} />
      </Layout>
    );
  }
  return (
    <Layout {...frame} wide header={<SiteHeader {...context} area={areaOf(section.path) ?? 'directory'} />}>
      {settingsPages.includes(section) && (
        <SettingsNavigation {...context} {...{ isRoot, settingsPages }} current={section} />
      )}
      {!isRoot && <Breadcrumbs root={section} parent={parent} title={title} />}
      <FlashMessage code={context.query.text('notice')} />
      {content}
    </Layout>
  );
}

/** The heading of a page, with the links beside it. */
function Heading({ title, actions }: Pick<PageView, 'title' | 'actions'>) {
  if (!actions) return <h1>{title}</h1>;
  return (
    <div class="heading">
      <h1>{title}</h1>
      {actions}
    </div>
  );
}

export function SiteErrorPage({
  title,
  user,
  csrfToken,
  path,
  settingsPages,
  children,
}: SignedInUser & {
  title: string;
  path: string;
  settingsPages: readonly Section[];
  children: ComponentChildren;
}) {
  const area = areaOf(path);
  return (
    <Layout title={title} wide header={<SiteHeader {...{ user, csrfToken, area }} />}>
      {area === 'settings' && <SettingsNavigation {...{ user, settingsPages }} />}
      {children}
    </Layout>
  );
}

type Area = 'directory' | 'reports' | 'settings';

/** The part of the site that a path belongs to; `undefined` for pages of the directory, which are not below one path. */
function areaOf(path: string): Area | undefined {
  const isBelow = (root: string) => path === root || path.startsWith(`${root}/`);
  return isBelow(settings.root) ? 'settings' : isBelow(reportsPath) ? 'reports' : undefined;
}

/** `area`: the part of the site that the page belongs to. */
function SiteHeader({ user, csrfToken, area }: SignedInUser & { area: Area | undefined }) {
  return (
    <>
      <HeaderStart href={home} name="People" />
      <nav aria-label="Main">
        <ul>
          <li>
            <a href={home} {...(area === 'directory' && { 'aria-current': 'page' })}>
              Directory
            </a>
          </li>
          {isAdministrator(user) && (
            <li>
              <a href={reportsPath} {...(area === 'reports' && { 'aria-current': 'true' })}>
                Reports
              </a>
            </li>
          )}
          <li>
            <a href={settings.root} {...(area === 'settings' && { 'aria-current': 'true' })}>
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
  settingsPages,
}: Pick<PageContext, 'user'> & {
  isRoot?: boolean;
  current?: Section;
  settingsPages: readonly Section[];
}) {
  return (
    <nav aria-label="Settings" class="tabs">
      <ul>
        {settingsPages
          .filter(({ audience }) => belongsTo(audience, user))
          .map((page) => (
            <li key={page.path}>
              <a href={page.path} {...(page === current && { 'aria-current': isRoot ? 'page' : 'true' })}>
                {page.title}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  );
}

/** Breadcrumbs of a page below a settings page, the list of reports or the directory. */
function Breadcrumbs({ root, parent, title }: { root: Section; parent: Crumb | undefined; title: string }) {
  return (
    <nav aria-label="Breadcrumbs" class="crumbs">
      <ol>
        <li>
          <a href={root.path}>{root.title}</a>
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
