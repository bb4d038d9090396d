import diagnostics from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { approval, startGivenRunner, threadOf } from './given-runner.ts';

/**
 * A runner process that asks one question, tells the outcome on its output, and kills itself as `kill -9` does at the
 * step that it is given. `node crashing-runner.ts '{ place, session, folder, dieAt? }'`
 */
const { place, session, folder, dieAt } = JSON.parse(process.argv[2] ?? '');
let isRaised = false;

function reached(step: string): void {
  if (step !== dieAt) return;
  writeSync(1, `died: ${step}\n`);
  process.kill(process.pid, 'SIGKILL');
}

const realFetch = globalThis.fetch;
globalThis.fetch = async (url, init) => {
  const call = new URL(String(url)).pathname.split('/').at(-1);
  reached(`before ${call}`);
  const response = await realFetch(url, init);
  reached(`after ${call}`);
  if (call === 'prompts') isRaised = true;
  return response;
};
diagnostics.subscribe('http.client.response.finish', (message) => {
  const { request } = message as { request: ClientRequest };
  const target = String(request.getHeader('x-amz-target')).replace('AmazonSQS.', '');
  if (isRaised) reached(`after ${target}`);
});
diagnostics.subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: ClientRequest };
  if (request.getHeader('x-amz-target') === 'AmazonSQS.DeleteMessageBatch') reached('before DeleteMessageBatch');
});

const runner = await startGivenRunner(place, {
  folder,
  onNextTurn: async (_, messages) => {
    reached('handed over');
    for (const { item } of messages) writeSync(1, `${JSON.stringify({ turn: item.content[0]?.text })}\n`);
  },
});
const outcome = await runner.run(threadOf(session)).ask(approval('call_1'));
reached('outcome');
writeSync(1, `${JSON.stringify({ outcome })}\n`);
// The message leaves the queue at the same time; a process that is to die of that must not have acknowledged before.
if (dieAt?.endsWith('DeleteMessageBatch')) await new Promise(() => {});
await outcome.acknowledge?.();
reached('acknowledged');
await runner.stop();
