import { describe, expect, it } from 'vitest';
import { parseJson } from '#core/json.ts';
import { checkAttach, checkCancel, checkRaise } from '#core/raise.ts';
import { approval, ask, nested, option, options, question, text } from './given-raise.ts';

describe('a raise that is accepted (P2)', () => {
  it.each([
    ['an approval', approval()],
    [
      'an approval with descriptions and unknown fields',
      approval({
        extra: 1,
        questions: [
          question({ options: [option('Approve', { description: 'go' }), option('Deny', { colour: 'red' })] }),
        ],
      }),
    ],
    ['a text', text()],
    ['a text with options null', text({ questions: [{ question: 'Name?', options: null }] })],
    ['a text with no options', text({ questions: [{ question: 'Name?', options: [] }] })],
    ['a question', ask(question())],
    ['free text', ask({ question: 'Why?' })],
    ['options null', ask(question({ options: null }))],
    ['options empty', ask(question({ options: [] }))],
    ['multiSelect true', ask(question({ multiSelect: true }))],
    ['multiSelect false', ask(question({ multiSelect: false }))],
    ['multiSelect null', ask(question({ multiSelect: null }))],
    ['a description null', ask(question({ options: [option('a', { description: null })] }))],
    ['a description empty', ask(question({ options: [option('a', { description: '' })] }))],
    ['one option', ask(question({ options: options('a') }))],
    ['50 options', ask(question({ options: options(...Array.from({ length: 50 }, (_, at) => `o${at}`)) }))],
    ['20 questions', ask(...Array.from({ length: 20 }, () => question()))],
    ['the same question twice', ask(question(), question())],
    ['labels that differ by white space', ask(question({ options: options('a', ' a') }))],
    ['labels that are one in upper case only', ask(question({ options: options('ß', 'SS') }))],
    ['labels named like object members', ask(question({ options: options('__proto__', 'constructor') }))],
    ['options Approve and Deny of another kind', ask(question({ options: options('Deny', 'Approve') }))],
    ['a runner', text({ runner: 'default' })],
    ['a request_id of 1024 characters', text({ request_id: 'r'.repeat(1024) })],
    ['a list of users', text({ allowed_user_ids: ['usr_a', 'usr_b'] })],
    ['a session', text({ session: { any: ['thing', 1, null] } })],
    ['a session null', text({ session: null })],
    ['a session of 8 KiB', text({ session: 'x'.repeat(8 * 1024 - 2) })],
    ['a session 32 deep', text({ session: nested(32) })],
    ['questions 32 deep', text({ questions: [{ question: 'Name?', more: nested(30) }] })],
    ['unknown fields', { ...ask(question({ header: 'H' })), note: { a: [] } }],
  ])('%s', (_, body) => {
    expect(checkRaise(body)).toEqual({ ok: true, raise: body });
  });

  it('is handed on as it came, never a copy', () => {
    const body = approval({ unknown: { z: 1 } });
    const checked = checkRaise(body);
    expect(checked.ok && checked.raise).toBe(body);
  });

  it('keeps numbers and __proto__ of unknown fields through to the other side', () => {
    const body =
      '{"request_id":"r","kind":"text","questions":[{"question":"Name?","n":1.0,"__proto__":{"x":-0}}],"session":1e999}';
    const parsed = parseJson(body);
    const checked = parsed.ok ? checkRaise(parsed.value) : undefined;
    expect(JSON.stringify(checked?.ok && checked.raise)).toBe(body);
  });
});

describe('a prompt that is too large (P2)', () => {
  const LIMIT = 64 * 1024;
  const tooLarge = {
    ok: false,
    error: 'prompt_too_large',
    message: 'The texts of all questions together are over 65536 bytes.',
    details: [{ path: 'questions', message: 'The texts of all questions together are over 65536 bytes.' }],
  };
  /** A question whose texts are these, and whose own field name counts too. */
  const used = 'question'.length;
  it.each<[string, number, (filler: string) => unknown]>([
    ['of one text', used, (x) => ({ question: x })],
    ['of an unknown field', used + 'Q?note'.length, (x) => ({ question: 'Q?', note: [x] })],
    ['of the name of a field', used + 'Q?'.length, (x) => ({ question: 'Q?', [x]: 1 })],
    ['deep within', used + 'Q?abc'.length, (x) => ({ question: 'Q?', a: [{ b: { c: x } }] })],
    ['of a label', used + 'Q?optionslabel'.length, (x) => ({ question: 'Q?', options: [{ label: x }] })],
    [
      'of a description',
      used + 'Q?optionslabellabeldescription'.length,
      (x) => ({ question: 'Q?', options: [{ label: 'label', description: x }] }),
    ],
    [
      'beside what is no text',
      used + 'abcd'.length,
      (x) => ({ question: x, a: 1, b: [true, null, 2.5], c: null, d: false }),
    ],
  ])('%s', (_, others, asked) => {
    const raised = (length: number) => checkRaise(ask(asked('x'.repeat(length))));
    expect(raised(LIMIT - others).ok).toBe(true);
    expect(raised(LIMIT - others + 1)).toEqual(tooLarge);
  });

  it('in bytes of UTF-8', () => {
    const fits = (LIMIT - used) / 4;
    expect(checkRaise(text({ questions: [{ question: '😀'.repeat(fits) }] })).ok).toBe(true);
    expect(checkRaise(text({ questions: [{ question: `${'😀'.repeat(fits)}x` }] }))).toEqual(tooLarge);
  });

  it('all questions together', () => {
    const four = Array.from({ length: 4 }, (_, at) => ({ question: `${at}${'x'.repeat(20_000)}` }));
    expect(checkRaise(ask(...four))).toEqual(tooLarge);
    expect(checkRaise(ask(...four.slice(1))).ok).toBe(true);
  });

  it('a number that was kept as its text is no text', () => {
    const numbers = Array.from({ length: 20_000 }, () => '1.0').join(',');
    const parsed = parseJson(`{"request_id":"r","kind":"text","questions":[{"question":"Q?","n":[${numbers}]}]}`);
    expect(checkRaise(parsed.ok && parsed.value).ok).toBe(true);
  });
});

describe('a cancel', () => {
  it('gives its reason', () => {
    for (const reason of ['the run ended', 'Lauf beendet – 終了', ' x ', 'r'.repeat(4096), 'é'.repeat(2048)]) {
      expect(checkCancel({ reason, more: 1 })).toEqual({ ok: true, cancel: { reason, more: 1 } });
    }
  });
  it.each<[string, unknown, string, string]>([
    ['no body', undefined, '', 'This is missing.'],
    ['null', null, '', 'This must be an object.'],
    ['a text', 'x', '', 'This must be an object.'],
    ['no reason', {}, 'reason', 'This is missing.'],
    ['a number', { reason: 5 }, 'reason', 'This must be a text.'],
    ['reason null', { reason: null }, 'reason', 'This must be a text.'],
    ['an empty reason', { reason: '' }, 'reason', 'A reason must not be blank.'],
    ['a blank reason', { reason: ' \n' }, 'reason', 'A reason must not be blank.'],
    ['a long reason', { reason: 'r'.repeat(4097) }, 'reason', 'A reason is at most 4096 bytes.'],
    ['a long reason in UTF-8', { reason: 'é'.repeat(2049) }, 'reason', 'A reason is at most 4096 bytes.'],
  ])('is refused: %s', (_, body, path, message) => {
    expect(checkCancel(body)).toEqual({
      ok: false,
      error: 'invalid_request',
      message: 'A cancel gives its reason.',
      details: [{ path, message }],
    });
  });
});

describe('an attach', () => {
  it.each([
    [undefined, {}],
    [null, {}],
    [{}, {}],
    [{ runner: 'default' }, { runner: 'default' }],
    [{ more: 1 }, { more: 1 }],
  ])('%j', (body, attach) => {
    expect(checkAttach(body)).toEqual({ ok: true, attach });
  });
  it.each<[unknown, string, string]>([
    ['x', '', 'This must be an object.'],
    [[], '', 'This must be an object.'],
    [0, '', 'This must be an object.'],
    [{ runner: '' }, 'runner', 'This must not be empty.'],
    [{ runner: null }, 'runner', 'This must be a text.'],
    [{ runner: 5 }, 'runner', 'This must be a text.'],
  ])('%j is refused', (body, path, message) => {
    expect(checkAttach(body)).toEqual({
      ok: false,
      error: 'invalid_request',
      message: 'An attach may name its runner.',
      details: [{ path, message }],
    });
  });
});
