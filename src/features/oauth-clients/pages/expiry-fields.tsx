import { useContext } from 'preact/hooks';
import { dayMilliseconds } from '../../../platform/clock.js';
import { isDateText } from '../../../platform/contract/outside-text.js';
import { startOfDay } from '../../../platform/pages/days.js';
import { FieldError, type FormError, TextField, useDescription } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { Timestamp, timeZoneOf, ViewerContext } from '../../../platform/pages/timestamp.js';
import { isExpired, maximumExpiryYears, reminderDays } from '../secret-expiry.js';

const fieldIds = { expiry: 'expiry', date: 'expiry_date' } as const;

const dayChoices = ['30', '90', '180', '365'];

/** The expiry of a new secret, as it is entered. */
export interface ExpiryForm {
  /** `never`, a number of days, or `date`. */
  readonly expiry: string;
  /** `YYYY-MM-DD`; empty unless the expiry is `date`. */
  readonly date: string;
}

export const noExpiry: ExpiryForm = { expiry: 'never', date: '' };

/** The submitted expiry. A form without the fields creates a secret that never expires. */
export function readExpiry({ form }: PageContext): ExpiryForm {
  return { expiry: form.text(fieldIds.expiry) || noExpiry.expiry, date: form.text(fieldIds.date) };
}

/** The time at which a secret expires; `null`: never. A day starts in the time zone of the user. */
export function resolveExpiry(
  { user, auditContext: { at } }: PageContext,
  { expiry, date }: ExpiryForm,
): { readonly expiresAt: Date | null } | { readonly errors: readonly FormError[] } {
  const error = (field: string, message: string) => ({ errors: [{ field, message }] });
  if (expiry !== 'date') {
    if (date !== '')
      return error(fieldIds.expiry, 'Select “On a date”, or remove the date on which the secret expires.');
    if (expiry === noExpiry.expiry) return { expiresAt: null };
    if (!dayChoices.includes(expiry)) return error(fieldIds.expiry, 'Select when the secret expires.');
    return { expiresAt: new Date(at.getTime() + Number(expiry) * dayMilliseconds) };
  }
  if (!isDateText(date) || date < '1970-01-01')
    return error(fieldIds.date, 'Enter the day on which the secret expires as a date, such as 2027-03-04.');
  const latest = new Date(at);
  latest.setUTCFullYear(latest.getUTCFullYear() + maximumExpiryYears);
  const expiresAt = startOfDay(date, timeZoneOf(user));
  if (expiresAt <= at)
    return error(fieldIds.date, 'The day on which the secret expires must be in the future.');
  if (expiresAt > latest)
    return error(fieldIds.date, `A secret can expire at most ${maximumExpiryYears} years from now.`);
  return { expiresAt };
}

/** Fields for the expiry of a new secret. */
export function ExpiryFields({ form, label = 'Expires' }: { form: ExpiryForm; label?: string }) {
  const timeZone = timeZoneOf(useContext(ViewerContext));
  const { expiry, date } = fieldIds;
  const hint = `${expiry}-hint`;
  const options = [
    [noExpiry.expiry, 'Never'],
    ...dayChoices.map((days) => [days, `In ${days} days`]),
    ['date', 'On a date'],
  ] as const;
  return (
    <>
      <div class="field">
        <label for={expiry}>{label}</label>
        <p class="hint" id={hint}>
          An expired secret is rejected. Owners and administrators get a reminder by mail {reminderDays.first}{' '}
          and {reminderDays.last} days before.
        </p>
        <FieldError field={expiry} />
        <select id={expiry} name={expiry} {...useDescription(expiry, hint)}>
          {options.map(([value, text]) => (
            <option key={value} value={value} selected={value === form.expiry}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <TextField
        id={date}
        label="Date of expiry"
        hint={`Only with “On a date”. The secret expires when this day starts in the time zone ${timeZone}.`}
        type="date"
        value={form.date}
        required={false}
        autocomplete="off"
      />
    </>
  );
}

/** When a secret expires or has expired. */
export function Expiry({ expiresAt, now }: { expiresAt: Date | null; now: Date }) {
  if (expiresAt === null) return <>Never expires</>;
  return (
    <>
      {isExpired({ expiresAt }, now) ? 'Expired on' : 'Expires on'} <Timestamp at={expiresAt} />
    </>
  );
}
