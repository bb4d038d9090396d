/**
 * Order on a thread is the host's `created_at`, compared in microseconds (decisions.md T3). A JavaScript `Date` drops
 * them, so an instant is an integer number of microseconds since 1970; safe integers reach the year 2255.
 */
export type Instant = number;

const ISO_8601 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/;
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** Microseconds since 1970 of an ISO 8601 time with an offset, or `undefined` where the text is no such time. */
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
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined;
  const seconds = ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offsetSeconds(match[8]);
  return seconds * 1_000_000 + Number((match[7] ?? '').padEnd(6, '0').slice(0, 6));
}

/** True only where both times are known and the first is later: what cannot be ordered never answers (A1). */
export function isLater(created_at: string, than: string): boolean {
  const a = parseInstant(created_at);
  const b = parseInstant(than);
  return a !== undefined && b !== undefined && a > b;
}

function daysSince1970(year: number, month: number, day: number): number {
  const leapDays = (y: number) => floorDiv(y, 4) - floorDiv(y, 100) + floorDiv(y, 400);
  const isLeap = leapDays(year) > leapDays(year - 1);
  const beforeYear = (year - 1970) * 365 + leapDays(year - 1) - leapDays(1969);
  return beforeYear + (DAYS_BEFORE_MONTH[month - 1] ?? 0) + (isLeap && month > 2 ? 1 : 0) + day - 1;
}

const floorDiv = (a: number, b: number): number => (a - (((a % b) + b) % b)) / b;

function offsetSeconds(offset = 'Z'): number {
  if (offset === 'Z') return 0;
  const digits = offset.slice(1).replace(':', '');
  const seconds = (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60;
  return offset.startsWith('-') ? -seconds : seconds;
}
