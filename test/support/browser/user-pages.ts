import type { LightMyRequestResponse } from 'fastify';
import type { Database } from '../../../src/platform/database/client.js';
import type { Browser } from './browser.js';

export const usersPath = '/people/settings/users';
export const invitePath = `${usersPath}/invite`;
export const invitationsPath = `${usersPath}/invitations`;
export const accountPath = '/people/settings/account';

export const newPassword = 'nine purple elephants dancing';

/** An address that no other test uses. */
export function freshAddress(): string {
  return `p${Math.random().toString(36).slice(2, 12)}@invited.example`;
}

/** Fills in the form for an invitation and sends it. */
export async function invite(
  browser: Browser,
  email: string,
  role = 'member',
): Promise<LightMyRequestResponse> {
  return browser.submitForm(await browser.open(invitePath), invitationsPath, { email, role });
}

/** The path of the link that a page shows once. */
export function shownLink(page: LightMyRequestResponse): string {
  const [, url] = /<code id="link">([^<]*)<\/code>/.exec(page.body) ?? [];
  if (url === undefined) throw new Error(`No link on ${page.statusCode} ${page.body}`);
  return new URL(url).pathname;
}

/** Enters names and a password on the page of an invitation. */
export async function accept(browser: Browser, link: string, changes: Record<string, string> = {}) {
  const names = { given_name: 'Grace', family_name: 'Hopper', new_password: newPassword };
  return browser.submitForm(await browser.open(link), link, { ...names, ...changes });
}

/** Types of the audit events of an account from one to the next, without sign-ins. */
export async function eventsOf(database: Database, accountId: string) {
  const events = await database.prisma.auditEvent.findMany({
    where: { accountId, type: { not: { startsWith: 'sign_in' } } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return events.map(({ type, userId, address, details }) => ({ type, userId, address, details }));
}
