import type { StoredThread } from '#core/ports.ts';
import type { SettledPrompt } from '#core/prompt.ts';
import { requestKeyOf } from '#core/prompt-id.ts';
import type { Slot } from '#core/prompting/slot.ts';
import { findPrompt } from '../../../functions/runner-api/find-prompt.ts';
import { outcomeOf } from '../outcome.ts';
import { enter, type Frame, give, type Moment, type Points, perform } from '../process.ts';
import { adoptThread } from './adopt-thread.ts';
import { changeSlot } from './change-slot.ts';
import { reconcileThread } from './reconcile-thread.ts';

type Acknowledge = Frame & { prompt_id: string };
type Attach = Frame & { slot: Slot };

/** runner-api/acknowledge-prompt.ts: gives 'done', or why not. */
export const acknowledgePrompt = (prompt_id: string): Frame => ({ at: 'acknowledgePrompt', prompt_id }) as Acknowledge;

/** What an attach tells: prompts and their outcomes. */
export type Told = { prompt_id: string; shows: string }[];

/** runner-api/attach.ts: gives what is Told. */
export const attach = (): Frame => ({ at: 'attach' });

export const runnerCallsPoints = {
  acknowledgePrompt: (_: Moment, f: Acknowledge) =>
    perform({ do: 'read', request: requestKeyOf(f.prompt_id) }, { ...f, at: 'acknowledgePrompt.read' }),
  'acknowledgePrompt.read': (_: Moment, f: Acknowledge, state: StoredThread) => {
    const { prompt_id } = f;
    const prompt = findPrompt(state, prompt_id);
    if (!prompt || prompt.state === 'withdrawn') return give('unknown');
    if (prompt.state === 'posting' || prompt.state === 'open') return give('no outcome yet');
    return changeSlot({ do: 'acknowledge', prompt_id }, { ...f, at: 'acknowledgePrompt.changed' }, state.slot);
  },
  'acknowledgePrompt.changed': (_: Moment, { prompt_id }: Acknowledge, unfinished: Slot | undefined) =>
    unfinished ? give('done') : perform({ do: 'acknowledgePast', prompt_id }, { at: 'acknowledgePrompt.done' }),
  'acknowledgePrompt.done': () => give('done'),

  attach: () => adoptThread({ at: 'attach.adopted', caller: { at: 'attach.upToDate', catches: true } }),
  'attach.adopted': (_: Moment, { caller }: Frame) => enter(reconcileThread(caller)),
  'attach.upToDate': () => perform({ do: 'read' }, { at: 'attach.read' }),
  'attach.read': (_: Moment, __: Frame, { slot }: StoredThread) =>
    perform({ do: 'unacknowledged' }, { at: 'attach.past', slot } as Attach),
  'attach.past': (m: Moment, { slot }: Attach, past: SettledPrompt[]) => {
    const unfinished = slot.outbox.filter((prompt) => prompt.state !== 'withdrawn');
    const byId = new Map([...past, ...unfinished].map((prompt) => [prompt.prompt_id, prompt]));
    const waiting = m.on.attachTellsOutcomes
      ? [...byId.values()].filter((prompt) => prompt.acked_at === undefined)
      : [];
    return give(waiting.map((prompt) => ({ prompt_id: prompt.prompt_id, shows: outcomeOf(prompt) })) satisfies Told);
  },
} satisfies Points;
