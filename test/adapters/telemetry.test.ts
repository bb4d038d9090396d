import { expect, it } from 'vitest';
import { telemetry } from '#adapters/telemetry.ts';

const written = () => {
  const lines: string[] = [];
  return { lines, told: telemetry({ stage: 'prod', function: 'resolver' }, (line) => void lines.push(line)) };
};

it('is one JSON line in the embedded metric format, its dimensions stage and function alone', () => {
  const { lines, told } = written();
  told.of({ request_id: 'r1' }).info('item_resolved', { item_id: 'itm_1' }, { Answered: 1, TimeToAnswerMs: 5 });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 'info',
      event: 'item_resolved',
      stage: 'prod',
      function: 'resolver',
      request_id: 'r1',
      item_id: 'itm_1',
      Answered: 1,
      TimeToAnswerMs: 5,
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: 'InteractivePrompts',
            Dimensions: [['stage', 'function']],
            Metrics: [
              { Name: 'Answered', Unit: 'Count' },
              { Name: 'TimeToAnswerMs', Unit: 'Milliseconds' },
            ],
          },
        ],
      },
    },
  ]);
});

it('tells the name and status of an error, never its message, which may quote what it choked on (I16)', () => {
  const { lines, told } = written();
  told.failure('failed', Object.assign(new SyntaxError('Unexpected token in "canary"'), { status: 502 }), {});
  told.failure('failed', 'canary', {});
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'error', error: 'SyntaxError', status: 502 },
    { level: 'error', error: 'unknown' },
  ]);
  expect(lines.join()).not.toContain('canary');
});
