import { expect, it } from 'vitest';
import { isPromptId, requestKeyOf } from '#core/prompt-id.ts';

it.each(['prm_01J00000000000000000000000', 'prm_7ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'prm_0123456789ABCDEFGHJKMNPQRS'])(
  '%s is a prompt id (T1)',
  (id) => {
    expect(isPromptId(id)).toBe(true);
  },
);

it.each([
  '',
  'prm_',
  '01J00000000000000000000000',
  'PRM_01J00000000000000000000000',
  'prm_01j00000000000000000000000',
  'prm_01J0000000000000000000000',
  'prm_01J000000000000000000000000',
  'xprm_01J00000000000000000000000',
  'prm_01J00000000000000000000000\n',
  'prm_01J0000000000000000000000I',
  'prm_01J0000000000000000000000L',
  'prm_01J0000000000000000000000O',
  'prm_01J0000000000000000000000U',
  '__proto__',
])('%j is none', (id) => {
  expect(isPromptId(id)).toBe(false);
});

it('the half that its request decides is the last 16 characters', () => {
  expect(requestKeyOf('prm_0123456789ABCDEFGHJKMNPQRS')).toBe('ABCDEFGHJKMNPQRS');
});
