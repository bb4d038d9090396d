/** As judged by `itemSchema`. */
export type Item = {
  id: string;
  created_at: string;
  user_id: string;
  content: ContentBlock[];
  parent_id?: string | null;
  metadata?: unknown;
  [field: string]: unknown;
};
export type ContentBlock = { type?: unknown; text?: unknown; [field: string]: unknown };

/** What is left to say of an item that is not at hand: who wrote it, and when. The rest of it is on the thread. */
export function bareItem({ id, user_id, created_at }: Pick<Item, 'id' | 'user_id' | 'created_at'>): Item {
  return { id, user_id, created_at, content: [] };
}

/** The item's text: all its `text` blocks joined with a line break, never only the first (decisions.md T5). */
export function textOf(item: Item): string {
  return item.content
    .filter(isTextBlock)
    .map((block) => block.text)
    .join('\n');
}

/** True where the item carries something beside text: an image, a json block, a block of a kind not known yet. */
export function hasOtherContent(item: Item): boolean {
  return item.content.some((block) => !isTextBlock(block));
}

function isTextBlock(block: ContentBlock): block is { type: 'text'; text: string } {
  return block.type === 'text' && typeof block.text === 'string';
}

/** An own field of the item's metadata; a `__proto__` in there changes nothing (decisions.md S5). */
export function metadataField(item: Item, name: string): unknown {
  return ownField(item.metadata, name);
}

/** An own field of a plain object, and `undefined` of anything else. */
export function ownField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}
