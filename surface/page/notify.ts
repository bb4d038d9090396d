import { displayText } from '#core/display.ts';
import { type Item, textOf } from '#core/item.ts';
import type { Texts } from '../texts.ts';

const BODY_LIMIT = 200;

export function canAskToNotify(): boolean {
  return 'Notification' in window && Notification.permission === 'default';
}

/** A new question, to somebody who allowed it and does not look at the page. */
export function notifyOf(item: Item, texts: Texts): void {
  if (!('Notification' in window) || Notification.permission !== 'granted' || !document.hidden) return;
  const body = displayText(textOf(item)).slice(0, BODY_LIMIT);
  const notification = new Notification(texts.asks, { body, tag: item.id });
  notification.addEventListener('click', () => window.focus());
}
