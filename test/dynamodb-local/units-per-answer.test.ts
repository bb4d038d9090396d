import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { Outside } from '../crash/outside.ts';
import { hasJava, startLocalTable } from '../support/dynamodb-local.ts';

/** What an answer costs, as AWS's own engine counts it; the settlement leaves the index entry of its question alone. */
const measure = async () => {
  const table = await startLocalTable();
  const used: Record<string, number>[] = [];
  table.client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
        const result = await next(args);
        const { ConsumedCapacity: consumed } = result.output as { ConsumedCapacity?: ConsumedCapacity };
        const [{ CapacityUnits = 0 } = {}] = [consumed ?? []].flat();
        used.push({ [commandName.replace('Command', '')]: CapacityUnits });
        return result;
      },
    { step: 'initialize' },
  );
  const outside = new Outside(table, 'priced', undefined);
  await outside.raise('one');
  used.length = 0;
  await outside.deliver(outside.say('yes'));
  await table.stop();
  return used;
};

if (hasJava()) {
  it('an answer takes six write units in all, those of the index included', async () => {
    expect(await measure()).toEqual([{ BatchGetItem: 1 }, { PutItem: 1 }, { BatchWriteItem: 3 }, { PutItem: 2 }]);
  }, 60_000);
} else describe('what an answer costs', () => it.skip('needs Java 17: install openjdk-17-jre-headless'));
