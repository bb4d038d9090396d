/**
 * Order on a thread is the host's `created_at`, compared in microseconds (decisions.md T3). A JavaScript `Date` drops
 * them, so an instant is an integer number of microseconds since 1970; safe integers reach the year 2255.
 */
export type Instant = number;

const ISO_8601 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/;

/**
 * Microseconds since 1970 of an ISO 8601 time with an offset; finer digits are dropped.
 * @returns `undefined` where the text is no such time, the 30th of February included
 */
export function parseInstant(text: string): Instant | undefined {
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [fraction = '', sign, offsetHour = 0, offsetMinute = 0] = match.slice(7);
  if (!isDay(year, month, day) || !isTime(hour, minute, second)) return undefined;
  const offset = Number(offsetHour) * 60 + Number(offsetMinute);
  if (!isTime(Number(offsetHour), Number(offsetMinute), 0)) return undefined;
  const minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute - (sign === '-' ? -offset : offset);
  return (minutes * 60 + second) * 1_000_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/** True only where both times are known and the first is later: what cannot be ordered never answers (A1). */
export function isLater(created_at: string, than: string): boolean {
  return (parseInstant(created_at) ?? Number.NaN) > (parseInstant(than) ?? Number.NaN);
}

/** Milliseconds from one time to the other; `undefined` where one of them is not known. */
export function millisecondsBetween(from: string, to: string): number | undefined {
  const [start, end] = [parseInstant(from), parseInstant(to)];
  return start === undefined || end === undefined ? undefined : (end - start) / 1000;
}

/** A 60th second is a leap second: the moment that the next minute begins. */
function isTime(hour: number, minute: number, second: number): boolean {
  return hour <= 23 && minute <= 59 && second <= 60;
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= daysSince1970(year, month + 1, 1) - daysSince1970(year, month, 1);
}

/** Days between the first of March of 400 years before the year 0, where counting is easy, and 1970. */
const DAYS_BEFORE_1970 = 865_565;

/**
 * Counts in years that begin in March, so that the leap day comes last; 400 years more keep every number positive. Month
 * 13 is the next January. https://howardhinnant.github.io/date_algorithms.html#days_from_civil
 */
function daysSince1970(year: number, month: number, day: number): number {
  const y = (month > 2 ? year : year - 1) + 400;
  const dayOfYear = quotient(153 * ((month + 9) % 12) + 2, 5) + day - 1;
  return y * 365 + quotient(y, 4) - quotient(y, 100) + quotient(y, 400) + dayOfYear - DAYS_BEFORE_1970;
}

const quotient = (a: number, b: number): number => (a - (a % b)) / b;
