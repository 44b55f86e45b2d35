import type { HttpResponse } from '../../kit/http/client.js';
import { foreignMark, type Seeded } from './seed.js';

/** @returns foreign values in a response, except those that the request contains */
export type FindLeaks = (response: HttpResponse, given: string) => string[];

/** @param theirs values of the foreign account */
export function leakFinder(theirs: Seeded): FindLeaks {
  const { account } = theirs;
  const foreign = [
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
  ].map((value) => value.toLowerCase());
  return ({ headers, body }, given) => {
    const text = `${JSON.stringify(headers)}${body.toString('utf8')}`;
    const cursors = [...text.matchAll(/page%5Bafter%5D=([\w-]+)/g)]
      .filter(([, cursor]) => !given.includes(cursor))
      .map(([, cursor]) => Buffer.from(cursor, 'base64url').toString('latin1'));
    const received = `${text}${cursors.join(' ')}`.toLowerCase();
    const sent = `${given}${safeDecode(given)}`.toLowerCase();
    return foreign.filter((value) => received.includes(value) && !sent.includes(value));
  };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
