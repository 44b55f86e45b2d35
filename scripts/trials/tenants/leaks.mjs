import { foreignMark } from './inhabit.mjs';

/**
 * Finds foreign values in answers.
 *
 * @param {object} theirs what the other account has, see `inhabit`
 */
export function leakFinder(theirs) {
  const { account } = theirs;
  const needles = [
    foreignMark,
    account.accountId,
    account.owner.id,
    account.owner.email,
    account.application.id,
    account.application.clientId,
    account.publicApplication.id,
    account.publicApplication.clientId,
    theirs.token,
    theirs.refreshToken,
    theirs.codeForm.code,
    ...theirs.reports,
    ...theirs.secrets,
    ...theirs.employees,
  ].map((needle) => needle.toLowerCase());

  /** @returns {string[]} foreign values in the answer, apart from those that the request gave itself */
  return function leaks({ headers, body }, given = '') {
    const text = `${JSON.stringify(headers)}${body.toString('utf8')}`;
    const markers = [...text.matchAll(/page%5Bafter%5D=([\w-]+)/g)]
      .filter(([, marker]) => !given.includes(marker))
      .map(([, marker]) => Buffer.from(marker, 'base64url').toString('latin1'));
    const all = `${text}${markers.join(' ')}`.toLowerCase();
    const asked = `${given}${safeDecode(given)}`.toLowerCase();
    return needles.filter((needle) => all.includes(needle) && !asked.includes(needle));
  };
}

function safeDecode(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
