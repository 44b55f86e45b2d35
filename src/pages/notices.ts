/**
 * What the last form did. A page's address names one of these and holds no text of its own, so that nobody can
 * make our pages say what they like.
 */
const notices = {
  application_created: 'The application was created.',
  application_exists:
    'This form was sent before, and made this application once. Its secret is not shown again.',
  application_updated: 'The changes are saved, and already count for every token.',
  application_deleted: 'The application was deleted. None of its tokens works any more.',
  access_revoked: 'All access was revoked. None of the tokens issued until now works any more.',
  secret_exists: 'This form was sent before, and made one secret. It is not shown again.',
  secret_retired: 'The secret was retired and does not work any more.',
  disconnected: 'The application was disconnected. It cannot act for you any more.',
} as const;

export type Notice = keyof typeof notices;

/** The address of a page that tells what was done. */
export function withNotice(address: string, notice: Notice): string {
  return `${address}?notice=${notice}`;
}

/** The words for a notice of the address; `undefined` for anything that is none. */
export function noticeFor(code: string): string | undefined {
  return Object.hasOwn(notices, code) ? notices[code as Notice] : undefined;
}
