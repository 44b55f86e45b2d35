/**
 * Confirmation messages, shown after a form was submitted. The URL has the name of a message and never its text, so that a
 * crafted link cannot show text of its own.
 */
const notices = {
  application_created: 'Application created.',
  application_exists:
    'This form was already submitted, and the application exists. Its secret is not shown again.',
  application_updated: 'Changes saved. They apply to existing tokens immediately.',
  application_deleted: 'Application deleted. Its tokens no longer work.',
  access_revoked: 'All access revoked. Tokens issued before no longer work.',
  secret_exists: 'This form was already submitted, and the secret exists. It is not shown again.',
  secret_revoked: 'Secret revoked.',
  disconnected: 'Application disconnected. It can no longer act on your behalf.',
} as const;

export type Notice = keyof typeof notices;

/** Path of a page that shows a notice. */
export function withNotice(address: string, notice: Notice): string {
  return `${address}?notice=${notice}`;
}

/** Text of a notice; `undefined` for an unknown name. */
export function noticeFor(code: string): string | undefined {
  return Object.hasOwn(notices, code) ? notices[code as Notice] : undefined;
}
