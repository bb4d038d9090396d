import * as z from 'zod';

/**
 * A thread item (decisions.md T2). Loose: blocks and fields nobody here knows are kept. The schema only judges; what it
 * judged is handed on untouched, never zod's copy, so that unknown fields survive byte for byte.
 */
export const itemSchema = z.looseObject({
  id: z.string().min(1),
  created_at: z.string(),
  user_id: z.string(),
  content: z.array(z.looseObject({})),
  parent_id: z.string().nullish(),
  metadata: z.unknown().optional(),
});
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
