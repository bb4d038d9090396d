import type { AnswerItem } from './draft.ts';

/**
 * The element's one event: `detail` is the thread item to post, as it stands. A page that hands over its post's promise
 * gets "sending", and "not sent, send again" where it rejects. Where it brings the posted item, with its `id`, the
 * element can tell whether it was this one that answered.
 */
export class PromptAnswerEvent extends CustomEvent<AnswerItem> {
  posting: Promise<unknown> | undefined;

  constructor(detail: AnswerItem) {
    super('prompt-answer', { detail, bubbles: true, composed: true });
  }

  waitUntil(posting: Promise<unknown>): void {
    this.posting = posting;
  }
}
