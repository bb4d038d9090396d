import { expect, it } from 'vitest';
import type { Ports } from '#core/ports.ts';
import { resolveItem } from '../../functions/resolver/resolve-item.ts';
import { item, THREAD } from '../support/given.ts';

it('while our own user is unknown nothing answers: the item comes again, and the alarm has its metric (A6)', async () => {
  const counted: unknown[] = [];
  // Any other port would throw: nothing may be read or written before it is known whose item this is.
  const ports = {
    threadHost: { ownUserId: () => Promise.reject(new Error('the host is away')) },
    telemetry: { failure: (...told: unknown[]) => counted.push(told.at(-1)) },
  } as unknown as Ports;
  await expect(resolveItem(ports, THREAD, item('yes'))).rejects.toThrow('the host is away');
  expect(counted).toEqual([{ OwnUserUnknown: 1 }]);
});
