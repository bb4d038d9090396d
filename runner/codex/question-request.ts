import * as z from 'zod';
import type { Answer, Question } from '#core/prompt.ts';
import { fingerprint } from '../fingerprint.ts';
import type { RpcReply, RpcRequest } from './json-rpc.ts';
import { inTurn, read, requestName, type Turn, UnreadableRequest } from './read-request.ts';

/** Questions of the model to a person: the tool `request_user_input`, which Codex offers while it plans. */
export type QuestionRequest = {
  turn: Turn;
  request_id: string;
  questions: Question[];
  /** Which of its calls is meant, for the model. */
  about: string;
  /** What is asked, as a name. */
  call: string;
};

const METHOD = 'item/tool/requestUserInput';
/** As of Codex 0.171.0. */
const questionsSchema = inTurn.extend({
  questions: z
    .array(
      z.object({
        id: z.string(),
        header: z.string(),
        question: z.string(),
        isSecret: z.boolean(),
        options: z.array(z.object({ label: z.string(), description: z.string() })).nullable(),
      }),
    )
    .min(1),
});

export function isQuestionRequest({ method }: RpcRequest): boolean {
  return method === METHOD;
}

/** @throws UnreadableRequest */
export function readQuestions(request: RpcRequest): QuestionRequest {
  const { threadId, turnId, itemId, questions } = read(questionsSchema, request);
  // Whoever reads the thread would read the password, too.
  if (questions.some(({ isSecret }) => isSecret)) throw new UnreadableRequest('a secret is not asked for on a thread');
  // Codex files answers under these.
  if (new Set(questions.map(({ id }) => id)).size < questions.length) {
    throw new UnreadableRequest('two questions have the same name');
  }
  return {
    turn: { threadId, turnId },
    request_id: requestName(request, { threadId, turnId }, itemId),
    questions,
    about: questions.map(({ question }) => question).join('\n'),
    call: fingerprint(METHOD, questions),
  };
}

/** @param answers one of each question, in their order */
export function answersReply({ questions }: QuestionRequest, answers: Answer[]): RpcReply {
  const entries = questions.map(({ id }, at) => [id, { answers: answers[at]?.answer ?? [] }] as const);
  return { result: { answers: Object.fromEntries(entries) } };
}
