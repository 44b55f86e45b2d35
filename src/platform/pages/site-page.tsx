import type { ComponentChildren } from 'preact';
import type { SignedInUser } from '../http/browser-sessions.js';
import { type Section, sectionOf } from './audience.js';
import { FlashMessage } from './flash.js';
import { ErrorSummary } from './form-parts.js';
import { Layout } from './layout.js';
import type { Crumb, PageContext, PageView } from './page-context.js';
import { Sidebar, SignOutForm } from './sidebar.js';
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
    <Layout
      {...frame}
      wide
      sidebar={<Sidebar {...context} {...{ settingsPages, isRoot }} current={section} />}
    >
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
  const current = sectionOf(path, settingsPages);
  return (
    <Layout title={title} wide sidebar={<Sidebar {...{ user, csrfToken, settingsPages, current }} />}>
      {children}
    </Layout>
  );
}

/** Breadcrumbs of a page below the page of its section. */
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
