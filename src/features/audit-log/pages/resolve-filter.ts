import type { User } from '../../../platform/accounts/user.js';
import type { Users } from '../../../platform/accounts/users.js';
import { isDateText } from '../../../platform/contract/date-text.js';
import { isRecordId } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { timeZoneOf } from '../../../platform/pages/timestamp.js';
import type { AuditFilter } from '../audit-log-filter.js';
import { isAuditEventType } from './audit-event-labels.js';
import type { AuditQuery } from './audit-query.js';
import { endOfDay, startOfDay } from './day-start.js';

/** Value of the filter `person` for changes at the command line. Every e-mail address has an @. */
export const operator = 'operator';

/** The selected events, or the errors of the filters. */
export type ResolvedFilter = { readonly filter: AuditFilter } | { readonly errors: readonly FormError[] };

/** Validates the filters of a URL. Days are in the time zone of the reader, and `to` is included. */
export async function resolveFilter(
  query: AuditQuery,
  { reader, users }: { reader: User; users: Pick<Users, 'findIdByEmail'> },
): Promise<ResolvedFilter> {
  const errors: FormError[] = [];
  const check = (field: keyof AuditQuery, isValid: boolean, message: string) => {
    if (query[field] !== '' && !isValid) errors.push({ field, message });
  };
  const { person, application, type, from, to, tokens } = query;
  const userId =
    person === '' || person === operator ? null : await users.findIdByEmail(reader.accountId, person);
  check('person', person === operator || userId !== null, 'No user of your account has this e-mail address.');
  check('application', isRecordId(application), 'Select an application of the list.');
  check('type', isAuditEventType(type), 'Select a type of the list.');
  check('from', isDay(from), 'Enter the first day as a date from 1970, such as 2026-11-20.');
  check('to', isDay(to), 'Enter the last day as a date from 1970, such as 2026-11-20.');
  if (isDay(from) && isDay(to)) check('to', from <= to, 'The last day must not be before the first day.');
  check('tokens', tokens === '1', 'The value of tokens must be 1.');
  if (errors.length > 0) return { errors };
  const zone = timeZoneOf(reader);
  return {
    filter: {
      actor: person === operator ? operator : userId === null ? undefined : { userId },
      applicationId: application === '' ? undefined : application,
      type: isAuditEventType(type) ? type : undefined,
      from: from === '' ? undefined : startOfDay(from, zone),
      before: to === '' ? undefined : endOfDay(to, zone),
      tokenEvents: tokens === '1',
    },
  };
}

function isDay(text: string): boolean {
  return isDateText(text) && text >= '1970-01-01' && text <= '9999-12-30';
}
