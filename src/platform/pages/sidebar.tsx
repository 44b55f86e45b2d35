import { userName } from '../accounts/user.js';
import type { SignedInUser } from '../http/browser-sessions.js';
import {
  belongsTo,
  directorySection,
  homeSection,
  isAdministrator,
  reportsSection,
  type Section,
} from './audience.js';
import { CsrfField } from './form-parts.js';
import { HeaderStart } from './layout.js';
import { directoryPath, homePath } from './paths.js';

/** Id of what the button of narrow screens shows. */
const menuId = 'menu';

/** A section with the path of its icon, in a square of 16 units. */
const mainSections: readonly (readonly [Section, string])[] = [
  [homeSection, 'M2 7.5 8 2l6 5.5M3.5 6.5V14h3.25v-4h2.5v4h3.25V6.5'],
  [
    directorySection,
    'M6 7.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5M1.25 14a4.75 4.75 0 0 1 9.5 0M10.5 2.25a2.6 2.6 0 0 1 0 5M12.25 9.9A4.7 4.7 0 0 1 14.75 14',
  ],
  [reportsSection, 'M2 2v12h12M5.25 11.25v-3M8.5 11.25v-6.5M11.75 11.25v-4.5'],
];

/**
 * Header of a page for signed-in users. On wide screens it is a sidebar. On narrow screens it is a bar, whose button shows the
 * navigation: a popover, which needs no script. Browsers without popovers always show the navigation.
 */
export function Sidebar({
  user,
  csrfToken,
  settingsPages,
  current,
  isRoot = false,
}: SignedInUser & {
  /** The settings pages, in the order of their navigation. */
  settingsPages: readonly Section[];
  /** The section of the page. */
  current: Section | undefined;
  /** Whether the page is the first of its section. */
  isRoot?: boolean;
}) {
  const isVisible = ({ audience }: Section) => belongsTo(audience, user);
  const currentAttribute = (section: Section) =>
    section.path === current?.path && ({ 'aria-current': isRoot ? 'page' : 'true' } as const);
  const link = (section: Section, icon?: string) => (
    <li key={section.path}>
      <a href={section.path} {...currentAttribute(section)}>
        {icon !== undefined && <Icon path={icon} />}
        {section.title}
      </a>
    </li>
  );
  const isPersonal = ({ audience }: Section) => audience === 'users';
  const settingsGroups = [
    { title: 'Personal settings', id: 'personal-settings', pages: settingsPages.filter(isPersonal) },
    {
      title: 'Account settings',
      id: 'account-settings',
      pages: settingsPages.filter((page) => !isPersonal(page) && isVisible(page)),
    },
  ];
  return (
    <>
      <HeaderStart
        href={isAdministrator(user) ? homePath : directoryPath}
        name={<bdi>{user.accountName}</bdi>}
      />
      <button type="button" class="quiet menu-button" popovertarget={menuId}>
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path d="M2 4h12M2 8h12M2 12h12" />
        </svg>
        Menu
      </button>
      <div class="menu" id={menuId} popover="auto">
        <nav aria-label="Main">
          <ul>
            {mainSections
              .filter(([section]) => isVisible(section))
              .map(([section, icon]) => link(section, icon))}
          </ul>
        </nav>
        <nav aria-label="Settings">
          {settingsGroups
            .filter(({ pages }) => pages.length > 0)
            .map(({ title, id, pages }) => (
              <div key={id}>
                <p id={id}>{title}</p>
                <ul aria-labelledby={id}>{pages.map((page) => link(page))}</ul>
              </div>
            ))}
        </nav>
        <UserMenu {...{ user, csrfToken }} />
      </div>
    </>
  );
}

function Icon({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

function UserMenu({ user, csrfToken }: SignedInUser) {
  return (
    <details class="who">
      <summary>
        <bdi>{userName(user)}</bdi>
      </summary>
      <div>
        <p>{user.email}</p>
        <a href="/docs">API reference</a>
        <SignOutForm csrfToken={csrfToken} />
      </div>
    </details>
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
