import { describe, expect, it } from 'vitest';
import type { RpcRequest } from '../../../runner/codex/json-rpc.ts';
import { answersReply, isQuestionRequest, readQuestions } from '../../../runner/codex/question-request.ts';
import { UnreadableRequest } from '../../../runner/codex/read-request.ts';
import { changed, requestOf } from './frames.ts';

const [source, copy] = requestOf('questions').params.questions as Record<string, unknown>[];
const asking = (...questions: unknown[]): RpcRequest => changed('questions', { questions });

it('questions are told from approvals', () => {
  expect(isQuestionRequest(requestOf('questions'))).toBe(true);
  expect(isQuestionRequest(requestOf('command_approved'))).toBe(false);
});

it('a person is shown each question with its options', () => {
  expect(readQuestions(requestOf('questions')).questions).toMatchObject([
    {
      question: 'Where from?',
      options: [
        { label: 'CSV import', description: 'people upload a file' },
        { label: 'API', description: 'the billing service' },
      ],
    },
    { question: 'Keep a copy?', options: [{ label: 'CSV import' }, { label: 'API' }] },
  ]);
});

it('a question without options stays one', () => {
  expect(readQuestions(asking({ ...source, options: null })).questions[0]?.options).toBeNull();
});

it('each answer goes back under the name of its question, as it was given', () => {
  const request = readQuestions(requestOf('questions'));
  const answers = [
    { question: 'Where from?', answer: [] },
    { question: 'Keep a copy?', answer: ['two\nlines', 'API'] },
  ];
  expect(answersReply(request, answers)).toEqual({
    result: { answers: { source: { answers: [] }, copy: { answers: ['two\nlines', 'API'] } } },
  });
});

describe('is not asked', () => {
  it.each<[string, RpcRequest]>([
    ['for a secret, which the thread would show', asking(source, { ...copy, isSecret: true })],
    ['where it is not known whether it is a secret', asking({ ...source, isSecret: undefined })],
    ['where two answers would have one name', asking(source, source)],
    ['without a question', asking()],
    ['with options of an unknown shape', asking({ ...source, options: ['CSV'] })],
    ['outside a turn', changed('questions', { turnId: null })],
  ])('%s', (_what, request) => {
    expect(() => readQuestions(request)).toThrow(UnreadableRequest);
  });
});

it('what is asked has the same name in another turn, and another one for another question', () => {
  const { call, request_id } = readQuestions(requestOf('questions'));
  const again = readQuestions(changed('questions', { turnId: 'another', itemId: 'another' }));
  expect(again.call).toBe(call);
  expect(again.request_id).not.toBe(request_id);
  expect(readQuestions(asking(source)).call).not.toBe(call);
});
