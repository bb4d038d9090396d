import type { Texts } from './texts.ts';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** How long ago, in the largest unit that fits; a stamp in the future, by another clock, is now. */
export function ageText(created_at: string, now: number, texts: Texts): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(created_at)) / 1000)) || 0;
  if (seconds < MINUTE_S) return texts.seconds(seconds);
  if (seconds < HOUR_S) return texts.minutes(Math.floor(seconds / MINUTE_S));
  if (seconds < DAY_S) return texts.hours(Math.floor(seconds / HOUR_S));
  return texts.days(Math.floor(seconds / DAY_S));
}
