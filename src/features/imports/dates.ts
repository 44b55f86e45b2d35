import { isDateText } from '../../platform/contract/outside-text.js';
import type { RecordMember } from '../employees/index.js';
import { serialDate } from './formats/cell-formats.js';

/**
 * How a column writes dates: the year first; day and month, or month and day, before the year; or the day numbers of Excel.
 * Dates with the year first are read in every column, because their order is certain.
 */
export const dateFormats = ['ymd', 'dmy', 'mdy', 'serial'] as const;

export type DateFormat = (typeof dateFormats)[number];

export function isDateFormat(text: string | undefined): text is DateFormat {
  return dateFormats.some((format) => format === text);
}

/** The format that a column has; `ymd` if it has none. */
export function toDateFormat(text: string | undefined): DateFormat {
  return isDateFormat(text) ? text : 'ymd';
}

/** Names of the attributes that are dates. */
export function dateNames(attributes: readonly Pick<RecordMember, 'name' | 'type'>[]): ReadonlySet<string> {
  return new Set(attributes.filter(({ type }) => type === 'date').map(({ name }) => name));
}

const midnight = '(?:[T ]0?0:00(?::00(?:\\.0+)?)?Z?)?';
const yearFirst = new RegExp(`^(\\d{4})([-/.]?)(\\d{1,2})\\2(\\d{1,2})${midnight}$`);
const yearLast = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4})${midnight}$`);
const twoDigitYear = /^\d{1,2}([-/.])\d{1,2}\1\d{2}$/;

/** Day numbers of Excel from 1927 to 2119. Other numbers of a column are not dates. */
const earliestSerial = 10_000;
const latestSerial = 80_000;

/** The longest date, with its time. */
const maximumLength = 30;

/** The date as `YYYY-MM-DD`; `undefined` when the text is not a date in this format. */
export function readDate(text: string, format: DateFormat): string | undefined {
  const value = text.trim();
  if (value.length > maximumLength || !/^\d/.test(value)) return undefined;
  const [, year, separator, month, day] = yearFirst.exec(value) ?? [];
  if (year !== undefined && (separator !== '' || value.length >= 8)) return toDate(year, month, day);
  if (format === 'ymd') return undefined;
  if (format === 'serial') {
    const serial = /^\d{5}$/.test(value) ? Number(value) : 0;
    return serial >= earliestSerial && serial <= latestSerial ? serialDate(serial) : undefined;
  }
  const [, first, mark, second, lastYear] = yearLast.exec(value) ?? [];
  if (format === 'dmy') return toDate(lastYear, second, first);
  // No country writes the month first with full stops.
  return mark === '.' ? undefined : toDate(lastYear, first, second);
}

function toDate(year = '', month = '', day = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDateText(text) ? text : undefined;
}

const orders: Readonly<Record<DateFormat, string>> = {
  ymd: 'year, month, day',
  dmy: 'day, month, year',
  mdy: 'month, day, year',
  serial: 'day number of Excel',
};

/** The order of the parts of a date, for users. */
export function orderOf(format: DateFormat): string {
  return orders[format];
}

/** Why a text is not a date in a format, as text that follows the name of the attribute; and what to do. */
export function describeInvalidDate(text: string, format: DateFormat): { cause: string; message: string } {
  const value = text.trim().slice(0, maximumLength).toWellFormed();
  if (twoDigitYear.test(value))
    return {
      cause: 'has a year with two digits',
      message: `${value} has a year with two digits, which can be in two centuries; write four digits, such as 2023`,
    };
  if (dateFormats.some((other) => readDate(value, other) !== undefined))
    return {
      cause: `is not a date in the order of the column (${orders[format]})`,
      message: `${value} is not a date in the order of the column (${orders[format]}); correct it or choose another order`,
    };
  const [, , mark = format === 'dmy' ? '.' : '/'] = yearLast.exec(value) ?? [];
  const isDay = yearFirst.test(value) || yearLast.test(value);
  const example = exampleOf(format === 'ymd' && mark === '.' ? 'dmy' : format, mark);
  return {
    cause: 'is not a date',
    message: `${value}. ${isDay ? 'This day does not exist' : 'This is not a date'}. For example ${example}.`,
  };
}

/** The same date in each format, with the mark between its parts. */
function exampleOf(format: DateFormat, mark: string): string {
  switch (format) {
    case 'ymd':
      return '2023-02-28';
    case 'serial':
      return '44985';
    case 'dmy':
      return ['28', '02', '2023'].join(mark);
    case 'mdy':
      return ['02', '28', '2023'].join(mark === '.' ? '/' : mark);
  }
}

/** A format in which dates of a column can be read. */
export interface DateChoice {
  readonly format: DateFormat;
  /** The first value that is a date in the format, and the date. */
  readonly example: string;
  readonly date: string;
  /** Number of values. */
  readonly count: number;
}

/** Counts the formats in which the values of a column are dates. */
export class DateCounter {
  readonly #choices = new Map<DateFormat, DateChoice>();

  add(value: string): void {
    if (value === '') return;
    for (const format of dateFormats) {
      const date = readDate(value, format);
      if (date === undefined) continue;
      const {
        example,
        date: first,
        count,
      } = this.#choices.get(format) ?? { example: value.trim(), date, count: 0 };
      this.#choices.set(format, { format, example, date: first, count: count + 1 });
      // The other formats have it as well.
      if (format === 'ymd') return;
    }
  }

  /** The formats that read dates of the column, except `ymd` dates in other formats. */
  get choices(): DateChoice[] {
    return [...this.#choices.values()];
  }
}

/**
 * The format in which most values of a column are dates. `undefined`: day and month can be exchanged in all of them.
 */
export function detectDateFormat(choices: readonly DateChoice[]): DateFormat | undefined {
  const countOf = (format: DateFormat) => choices.find((choice) => choice.format === format)?.count ?? 0;
  const [dmy, mdy, serial] = [countOf('dmy'), countOf('mdy'), countOf('serial')];
  if (dmy === 0 && mdy === 0) return serial > 0 ? 'serial' : 'ymd';
  if (dmy === mdy) return undefined;
  return dmy > mdy ? 'dmy' : 'mdy';
}
