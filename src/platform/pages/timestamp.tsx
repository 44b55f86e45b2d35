import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { User } from '../accounts/user.js';

type Viewer = Pick<User, 'locale' | 'zoneinfo'>;

/** The user who sees the page. The frame of a page provides it. */
export const ViewerContext = createContext<Viewer>({ locale: null, zoneinfo: null });

const fallback = { locale: 'en-GB', zone: 'UTC' } as const;

/** A time in the language and time zone of the user. */
export function Timestamp({ at }: { at: Date }) {
  return <Time value={at.toISOString()} at={at} format={formatFor(useContext(ViewerContext))} />;
}

/** A time, or "Never". */
export function TimestampOrNever({ at }: { at: Date | null }) {
  return at === null ? <>Never</> : <Timestamp at={at} />;
}

/** A date, `YYYY-MM-DD`, in the language of the user. It is the same in every time zone. */
export function DateInWords({ date }: { date: string }) {
  const { locale } = useContext(ViewerContext);
  const format = formatFor({ locale, zoneinfo: fallback.zone }, dateParts);
  return <Time value={date} at={new Date(`${date}T00:00:00Z`)} format={format} />;
}

/**
 * Returns a function that formats a date, `YYYY-MM-DD`, or an ISO 8601 time in the language and time zone of the user. Other
 * texts, such as a date of a year that has more than four digits, are unchanged.
 */
export function useTimeText(): (text: string, type: 'date' | 'date_time') => string {
  const viewer = useContext(ViewerContext);
  return (text, type) => {
    const isDate = type === 'date';
    const at = new Date(isDate ? `${text}T00:00:00Z` : text);
    if (Number.isNaN(at.getTime())) return text;
    const format = isDate
      ? formatFor({ locale: viewer.locale, zoneinfo: fallback.zone }, dateParts)
      : formatFor(viewer);
    return format.format(at);
  };
}

function Time({ value, at, format }: { value: string; at: Date; format: Intl.DateTimeFormat }) {
  const { locale } = format.resolvedOptions();
  return (
    <time dateTime={value} {...(!locale.startsWith('en') && { lang: locale })}>
      {format.format(at)}
    </time>
  );
}

/** The time zone in which times are shown to the user. */
export function timeZoneOf(viewer: Viewer): string {
  return formatFor(viewer).resolvedOptions().timeZone;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const maximumFormats = 1000;

/** Caches formats: creating one takes longer than using it a hundred times. */
function formatFor({ locale, zoneinfo }: Viewer, parts = timeParts): Intl.DateTimeFormat {
  const key = `${locale} ${zoneinfo} ${parts === dateParts}`;
  const cached = formats.get(key);
  if (cached !== undefined) return cached;
  const created = makeFormat(locale ?? fallback.locale, zoneinfo ?? fallback.zone, parts);
  if (formats.size >= maximumFormats) formats.clear();
  formats.set(key, created);
  return created;
}

/** Users enter both values themselves, so those that Node.js does not support are replaced by defaults. */
function makeFormat(
  locale: string,
  timeZone: string,
  parts: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  for (const attempt of [
    [locale.replaceAll('_', '-'), timeZone],
    [fallback.locale, timeZone],
    [locale.replaceAll('_', '-'), fallback.zone],
  ] as const) {
    try {
      return new Intl.DateTimeFormat(attempt[0], { ...parts, timeZone: attempt[1] });
    } catch {
      // Not supported: try the next pair.
    }
  }
  return new Intl.DateTimeFormat(fallback.locale, { ...parts, timeZone: fallback.zone });
}

const dateParts: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric' };

const timeParts: Intl.DateTimeFormatOptions = {
  ...dateParts,
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
};
