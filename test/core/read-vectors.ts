import { readFileSync } from 'node:fs';
import type { Item } from '#core/item.ts';
import type { Answer, Kind, Question } from '#core/prompt.ts';

type VectorPrompt = { kind: Kind; questions: Question[] };
/** One golden case: a prompt, what an item says to it, and what the agent then receives. */
export type MappingVector = {
  name: string;
  /** The rows of decisions.md that it proves. */
  row: string;
  prompt: VectorPrompt;
  item: Item;
  /** The answers by question; null where there is nothing to hand back (A7). */
  want: string[][] | null;
  paths: string[];
  refused?: string;
};
type Stored = Omit<MappingVector, 'prompt' | 'item' | 'paths'> & {
  prompt: string;
  /** The text block of the item, or several. */
  text?: string | string[];
  content?: Item['content'];
  metadata?: unknown;
  paths?: string[];
};

/** Read as text: a JSON module would take a `__proto__` in a case for the prototype. */
export function readVectors<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`../vectors/${file}.json`, import.meta.url), 'utf8')) as T;
}

export function readMappingVectors(file: string): MappingVector[] {
  const { prompts, cases } = readVectors<{ prompts: Record<string, VectorPrompt>; cases: Stored[] }>(file);
  return cases.map(({ prompt: name, text, content, metadata, paths = [], ...vector }) => {
    const prompt = prompts[name];
    if (!prompt) throw new Error(`${file}.json has no prompt ${name}`);
    const blocks = content ?? [text ?? []].flat().map((block) => ({ type: 'text', text: block }));
    const item: Item = { id: 'itm_1', user_id: 'usr_anna', created_at: '', content: blocks };
    return { ...vector, prompt, paths, item: metadata === undefined ? item : { ...item, metadata } };
  });
}

/** What an item says is all that matters to its mapping. */
export function saying(text: string, metadata?: unknown): Item {
  return { id: 'itm_1', user_id: 'usr_anna', created_at: '', content: [{ type: 'text', text }], metadata };
}

export const answersOf = (mapped: { answers: Answer[] | undefined }) => mapped.answers?.map(({ answer }) => answer);
