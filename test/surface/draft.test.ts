import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '#core/item.ts';
import { mapAnswers } from '#core/mapping/map-answers.ts';
import type { Question } from '#core/prompt.ts';
import {
  answerOf,
  choose,
  composeAnswer,
  composeDecision,
  composeWords,
  draftText,
  emptyDraft,
  type QuestionDraft,
} from '../../surface/draft.ts';
import { APPROVAL, FORM, SECTIONS, STYLE, TARGET } from './prompts.ts';

const drafted = (...choices: (number | 'other' | 'none')[]) => ({
  of: (question: Question, words = ''): QuestionDraft =>
    choices.reduce((draft, choice) => choose(question, draft, choice), { ...emptyDraft(), words }),
});
const written = (words: string) => ({ ...emptyDraft(), words });

describe('the answer to one question', () => {
  it.each<[string, Question, QuestionDraft, string[] | undefined]>([
    ['nothing chosen is no answer', TARGET, emptyDraft(), undefined],
    ['one of a single choice', TARGET, drafted(1).of(TARGET), ['production']],
    ['the later of two clicks on a single choice', TARGET, drafted(1, 0).of(TARGET), ['staging']],
    ['"Other" verbatim', TARGET, drafted('other').of(TARGET, ' a  b\n'), [' a  b\n']],
    ['"Other" without text is no answer', TARGET, drafted('other').of(TARGET, ' '), undefined],
    ['words are not the answer once an option is chosen', TARGET, drafted('other', 0).of(TARGET, 'x'), ['staging']],
    ['several in the order of the list', SECTIONS, drafted(2, 0).of(SECTIONS), ['KPI cards', 'Chart']],
    ['a second click takes one back', SECTIONS, drafted(2, 0, 2).of(SECTIONS), ['KPI cards']],
    ['all taken back is no answer', SECTIONS, drafted(0, 0).of(SECTIONS), undefined],
    ['several and "Other"', SECTIONS, drafted(1, 'other').of(SECTIONS, 'a map'), ['Table', 'a map']],
    ['several and "Other" without text is no answer', SECTIONS, drafted(1, 'other').of(SECTIONS), undefined],
    ['deliberately none', SECTIONS, drafted(1, 'none').of(SECTIONS), []],
    ['none, and then one after all', SECTIONS, drafted('none', 1).of(SECTIONS), ['Table']],
    ['none, taken back, is no answer', SECTIONS, drafted('none', 'none').of(SECTIONS), undefined],
    ['words for a question without options', STYLE, written('1'), ['1']],
    ['blank words are no answer', STYLE, written(' \n'), undefined],
    ['words where the list of options is empty', { question: 'x', options: [] }, written('y'), ['y']],
  ])('%s', (_name, question, draft, answer) => {
    expect(answerOf(question, draft)).toEqual(answer);
  });
});

describe('the item', () => {
  it("has the contract's shape, with a summary for people", () => {
    const drafts = [drafted(0).of(TARGET), drafted('none').of(SECTIONS), written('dark')];
    expect(composeAnswer(FORM, drafts)).toEqual({
      ok: true,
      item: {
        content: [{ type: 'text', text: 'staging · (none) · dark' }],
        metadata: {
          prompt_id: 'prm_2',
          answers: [
            { question: 'Where?', answer: ['staging'] },
            { question: 'Which?', answer: [] },
            { question: 'Any style?', answer: ['dark'] },
          ],
        },
      },
    });
  });

  it('is not made while a question is without an answer', () => {
    expect(composeAnswer(FORM, [emptyDraft(), drafted(0).of(SECTIONS), emptyDraft()])).toEqual({
      ok: false,
      unanswered: [0, 2],
    });
  });

  it('is not made of more than the agent can be given', () => {
    const composed = composeAnswer({ ...FORM, questions: [STYLE] }, [written('x'.repeat(200 * 1024))]);
    expect(composed).toEqual({ ok: false, tooLong: true });
  });

  it('has a short summary of a long answer, and the answer whole', () => {
    const composed = composeAnswer({ ...FORM, questions: [STYLE] }, [written('x'.repeat(150_000))]);
    if (!composed.ok) throw new Error('it fits');
    expect(composed.item.content[0]?.text).toHaveLength(10_001);
    expect(composed.item.metadata.answers?.[0]?.answer[0]).toHaveLength(150_000);
  });

  it('of words alone names its prompt where that is known', () => {
    expect(composeWords('hm', 'prm_1')).toEqual({
      content: [{ type: 'text', text: 'hm' }],
      metadata: { prompt_id: 'prm_1' },
    });
    expect(composeWords('hm').metadata).toEqual({});
  });

  const asItem = (item: object) => ({ id: 'i', created_at: '', user_id: 'u', ...item }) as Item;

  it('is what the resolver hands on as it stands, whatever was chosen and typed', () => {
    const choices = fc.array(fc.oneof(fc.nat(2), fc.constantFrom('other' as const, 'none' as const)), { maxLength: 6 });
    const words = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.tuple(choices, words), fc.tuple(choices, words), words, ([one, other], [several, more], free) => {
        const first = drafted(...one.filter((c) => c !== 'none' && c !== 2)).of(TARGET, other);
        const composed = composeAnswer(FORM, [first, drafted(...several).of(SECTIONS, more), written(free)]);
        if (!composed.ok) return;
        const mapped = mapAnswers(FORM, asItem(composed.item));
        expect(mapped.paths).toEqual(['structured', 'structured', 'structured']);
        expect(mapped.answers).toEqual(composed.item.metadata.answers);
      }),
    );
  });

  it('of a repeated question gives each its own answer', () => {
    const twice = { ...FORM, questions: [STYLE, STYLE] };
    const composed = composeAnswer(twice, [written('a'), written('b')]);
    expect(composed.ok && mapAnswers(twice, asItem(composed.item)).answers?.map(({ answer }) => answer)).toEqual([
      ['a'],
      ['b'],
    ]);
  });

  it.each(['', 'ok', 'yes', ' approve\n', 'not on a Friday', '1'])(
    'of a denial denies by its text too, with words %j',
    (words) => {
      const composed = composeDecision(APPROVAL, 'Deny', words);
      if (!composed.ok) throw new Error('it fits');
      expect(composed.item.metadata.answers?.[0]?.answer).toEqual(['Deny']);
      const { metadata: _lost, ...textAlone } = composed.item;
      expect(mapAnswers(APPROVAL, asItem(textAlone)).answers?.[0]?.answer).toEqual(['Deny']);
    },
  );

  it('of an approval approves, with and without words', () => {
    for (const words of ['', 'but carefully']) {
      const composed = composeDecision(APPROVAL, 'Approve', words);
      expect(composed.ok && mapAnswers(APPROVAL, asItem(composed.item)).answers?.[0]?.answer).toEqual(['Approve']);
    }
  });
});

it('tells a draft in words, one line for a question', () => {
  const drafts = [drafted(1).of(TARGET), emptyDraft(), written('dark')];
  expect(draftText(FORM, drafts, '')).toBe('production\ndark');
  expect(draftText(APPROVAL, [emptyDraft()], ' wait ')).toBe('wait');
  expect(draftText(FORM, FORM.questions.map(emptyDraft), '')).toBe('');
});
