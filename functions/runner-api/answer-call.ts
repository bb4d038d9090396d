import { threadSchema } from '#core/host-schemas.ts';
import { parseJson } from '#core/json.ts';
import type { Ports } from '#core/ports.ts';
import { checkAttach, checkCancel, checkRaise } from '#core/raise.ts';
import type { Thread } from '#core/thread.ts';
import { utf8Bytes } from '#core/utf8.ts';
import { acknowledgePrompt } from './acknowledge-prompt.ts';
import { attach } from './attach.ts';
import { type CallAnswer, refusal } from './call.ts';
import { cancelPrompt } from './cancel-prompt.ts';
import { raisePrompt } from './raise-prompt.ts';

/** What is judged and named nests up to 32 within the body's own levels. */
const BODY_DEPTH = 40;

type PathParameters = Readonly<Record<string, string | undefined>>;

/** Questions of 64 KiB, their unknown fields' JSON and a session of 8 KiB fit well; the record holds 400 KB in all. */
const BODY_LIMIT_BYTES = 160 * 1024;

/**
 * The four calls of an agent runner (interface.md 2). Who may call is IAM's decision, made before us; that nobody calls in
 * another runner's name is ours.
 * @param caller the configured runner that calls; undefined = it is not known, so it has no name to call in
 */
export async function answerCall(
  ports: Ports,
  routeKey: string,
  path: PathParameters,
  body: string,
  caller?: string,
): Promise<CallAnswer> {
  const thread = threadSchema.safeParse(path);
  if (!thread.success) return refusal(400, 'invalid_request', 'The path names no thread.');
  if (utf8Bytes(body) > BODY_LIMIT_BYTES) {
    return refusal(413, 'prompt_too_large', `The body is over ${BODY_LIMIT_BYTES} bytes.`);
  }
  const call = routeKey.slice(routeKey.lastIndexOf('/') + 1);
  const json = body === '' ? ({ ok: true, value: undefined } as const) : parseJson(body, BODY_DEPTH);
  if (!json.ok) {
    const error = call === 'prompts' ? 'invalid_prompt' : 'invalid_request';
    return refusal(400, error, `The body is ${json.why}.`);
  }
  const dispatched = { thread: thread.data, call, prompt_id: path.prompt_id ?? '', body: json.value, caller };
  return dispatch(ports, dispatched);
}

type Call = { thread: Thread; call: string; prompt_id: string; body: unknown; caller: string | undefined };

async function dispatch(ports: Ports, { thread, call, prompt_id, body, caller }: Call): Promise<CallAnswer> {
  switch (call) {
    case 'prompts': {
      const checked = checkRaise(body);
      if (!checked.ok) return refused(checked);
      const { runner } = checked.raise;
      return refuseRunner(ports, runner, caller, 'invalid_prompt') ?? raisePrompt(ports, thread, checked.raise);
    }
    case 'cancel': {
      const checked = checkCancel(body);
      return checked.ok ? cancelPrompt(ports, thread, prompt_id, checked.cancel.reason) : refused(checked);
    }
    case 'ack':
      return acknowledgePrompt(ports, thread, prompt_id);
    case 'attach': {
      const checked = checkAttach(body);
      if (!checked.ok) return refused(checked);
      const { runner } = checked.attach;
      return refuseRunner(ports, runner, caller, 'invalid_request') ?? attach(ports, thread, runner);
    }
    default:
      return refusal(404, 'unknown_call', 'There is no such call.');
  }
}

/** A runner takes a thread over by its name (interface.md 3): another's would lead answers to where they do not belong. */
function refuseRunner(
  { runnerQueues }: Ports,
  runner: string | undefined,
  caller: string | undefined,
  error: string,
): CallAnswer | undefined {
  if (runner === undefined) return undefined;
  if (!runnerQueues.has(runner)) {
    const message = 'No runner of this name is configured.';
    return refusal(400, error, message, [{ path: 'runner', message }]);
  }
  if (runner === caller) return undefined;
  return refusal(403, 'not_your_runner', `Only the role of the runner ${JSON.stringify(runner)} may call in its name.`);
}

function refused(checked: { error: string; message: string; details: unknown }): CallAnswer {
  return refusal(checked.error === 'prompt_too_large' ? 413 : 400, checked.error, checked.message, checked.details);
}
