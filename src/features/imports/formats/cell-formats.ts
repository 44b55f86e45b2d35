import { dayMilliseconds } from '../../../platform/clock.js';

/** Numbers of built-in formats for dates and times. @see ECMA-376 part 1, section 18.8.30 */
function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);
}

/** How a number is shown: as a date, or with leading zeros up to a number of digits. */
export type NumberFormat = 'general' | 'date' | { readonly digits: number };

/** @param code of a format that the workbook defines */
export function numberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return isBuiltInDate(id) ? 'date' : 'general';
  if (/^0{2,30}$/.test(code)) return { digits: code.length };
  // Colors, locales and quoted texts can have the letters of dates.
  const letters = code.slice(0, 255).replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, '');
  return /[dmyh]/i.test(letters) && !/general/i.test(letters) ? 'date' : 'general';
}

/** The last day that Excel has: 31 December 9999. */
const maximumSerial = 2_958_465;

/**
 * The date of a day number of Excel: `YYYY-MM-DD`, with the time if it is not midnight. `undefined` for another number. Day 60
 * of the calendar that starts in 1900 is 29 February, which did not exist.
 *
 * @param from1904 whether day 0 is 1 January 1904
 */
export function serialDate(serial: number, from1904 = false): string | undefined {
  const day = from1904 ? serial + 1_462 : serial;
  if (!(day >= 1 && day < maximumSerial + 1) || Math.floor(day) === 60) return undefined;
  const seconds = Math.round((day < 60 ? day + 1 : day) * 86_400);
  const text = new Date(Date.UTC(1899, 11, 30) + (seconds / 86_400) * dayMilliseconds).toISOString();
  return seconds % 86_400 === 0 ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}

/** A number of a cell as Excel shows it. */
export function shownNumber(value: string, format: NumberFormat, from1904: boolean): string {
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  if (format === 'date') return serialDate(number, from1904) ?? value;
  // Excel stores 0.1 + 0.2 and long numbers with an exponent or more digits than it shows.
  const text = Number.isSafeInteger(number) ? String(number) : String(Number(number.toPrecision(15)));
  return typeof format === 'object' && /^\d+$/.test(text) ? text.padStart(format.digits, '0') : text;
}
