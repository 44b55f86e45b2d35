import { numberText } from '../../../platform/counted.js';
import { isRelativeDate, namedDates } from '../relative-dates.js';

/** The date of a filter as the form has it. */
interface EnteredDate {
  /** `date`, `days_ago`, `days_from_now` or a named relative date, such as `start_of_month`. */
  readonly when: string;
  /** The date, when the choice is `date`. */
  readonly date: string;
  /** The number of days, when the choice counts days. */
  readonly days: string;
}

/** The parts of the form for the value of a filter. */
export function enteredDate(value: string): EnteredDate {
  const [, sign, days] = /^([+-])(.*)d$/.exec(value) ?? [];
  if (days !== undefined) return { when: sign === '-' ? 'days_ago' : 'days_from_now', date: '', days };
  return isRelativeDate(value)
    ? { when: value, date: '', days: '' }
    : { when: 'date', date: value, days: '' };
}

/** The value of a filter for the parts of the form. Without a choice it is the date. */
export function dateValue({ when, date, days }: EnteredDate): string {
  if (when === 'days_ago') return `-${days}d`;
  if (when === 'days_from_now') return `+${days}d`;
  return when === '' || when === 'date' ? date : when;
}

/** Whether the value is a number of days that a relative date cannot have. */
export function isWrongDistance(value: string): boolean {
  return enteredDate(value).when.startsWith('days_') && !isRelativeDate(value);
}

/** What a date can be compared with. */
export const dateChoices = [
  { value: 'date', label: 'a date' },
  ...namedDates.map((value) => ({ value, label: namedDateText(value) })),
  { value: 'days_ago', label: 'a number of days ago' },
  { value: 'days_from_now', label: 'a number of days from now' },
];

/** `start_of_last_month` as "the start of last month". */
function namedDateText(name: string): string {
  if (name === 'today') return name;
  const [, which = 'this', period] = /^start_of_(?:(last|next)_)?(\w+)$/.exec(name) ?? [];
  return `the start of ${which} ${period}`;
}

/** A relative date within a sentence, such as "90 days ago"; `null` for other texts. */
export function relativeDateText(text: string): string | null {
  if (!isRelativeDate(text)) return null;
  const { when, days } = enteredDate(text);
  if (days === '') return namedDateText(text);
  const noun = days === '1' ? 'day' : 'days';
  return `${numberText(Number(days))} ${noun} ${when === 'days_ago' ? 'ago' : 'from now'}`;
}
