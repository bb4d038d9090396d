import { describe, expect, it } from 'vitest';
import { checkRaise } from '#core/raise.ts';
import { approval, ask, nested, option, options, question, text } from './given-raise.ts';

const pathsOf = (body: unknown) => {
  const checked = checkRaise(body);
  return checked.ok ? 'ok' : checked.details.map(({ path }) => path);
};

describe('a raise that is refused names the path (P2)', () => {
  it.each<[string, unknown, string[]]>([
    ['no body', undefined, ['']],
    ['null', null, ['']],
    ['a list', [], ['']],
    ['a text', 'x', ['']],
    ['nothing in it', {}, ['request_id', 'kind', 'questions']],
    ['request_id missing', { ...text(), request_id: undefined }, ['request_id']],
    ['request_id a number', text({ request_id: 5 }), ['request_id']],
    ['request_id null', text({ request_id: null }), ['request_id']],
    ['request_id empty', text({ request_id: '' }), ['request_id']],
    ['request_id of 1025 characters', text({ request_id: 'r'.repeat(1025) }), ['request_id']],
    ['kind missing', { ...text(), kind: undefined }, ['kind']],
    ['kind unknown', text({ kind: 'question' }), ['kind']],
    ['kind in another case', text({ kind: 'Text' }), ['kind']],
    ['kind a number', text({ kind: 1 }), ['kind']],
    ['questions missing', { ...text(), questions: undefined }, ['questions']],
    ['questions an object', text({ questions: {} }), ['questions']],
    ['no question', ask(), ['questions']],
    ['21 questions', ask(...Array.from({ length: 21 }, () => question())), ['questions']],
    ['questions 33 deep', text({ questions: [{ question: 'Name?', more: nested(31) }] }), ['questions']],
    ['questions 5,000 deep', text({ questions: [{ question: 'Name?', more: nested(5000) }] }), ['questions']],
    ['a question null', ask(question(), null), ['questions[1]']],
    ['a question that is a text', ask('Where?'), ['questions[0]']],
    ['a question that is a list', ask([]), ['questions[0]']],
    ['question missing', ask(question(), { options: [] }), ['questions[1].question']],
    ['question a number', ask(question({ question: 5 })), ['questions[0].question']],
    ['question null', ask(question({ question: null })), ['questions[0].question']],
    ['question empty', ask(question({ question: '' })), ['questions[0].question']],
    ['question blank', ask(question({ question: ' \n\t\u3000' })), ['questions[0].question']],
    ['multiSelect a text', ask(question({ multiSelect: 'yes' })), ['questions[0].multiSelect']],
    ['multiSelect a number', ask(question({ multiSelect: 1 })), ['questions[0].multiSelect']],
    ['options an object', ask(question({ options: {} })), ['questions[0].options']],
    ['options a text', ask(question({ options: 'a' })), ['questions[0].options']],
    [
      '51 options',
      ask(question({ options: options(...Array.from({ length: 51 }, (_, at) => `o${at}`)) })),
      ['questions[0].options'],
    ],
    ['an option that is a text', ask(question({ options: ['a'] })), ['questions[0].options[0]']],
    ['an option null', ask(question({ options: [option('a'), null] })), ['questions[0].options[1]']],
    ['a label missing', ask(question({ options: [{ description: 'x' }] })), ['questions[0].options[0].label']],
    ['a label a number', ask(question({ options: options('a', 5) })), ['questions[0].options[1].label']],
    ['a label empty', ask(question({ options: options('') })), ['questions[0].options[0].label']],
    ['a label blank', ask(question({ options: options('a', ' \t') })), ['questions[0].options[1].label']],
    [
      'a label repeated',
      ask(question(), question({ options: options('a', 'b', 'a') })),
      ['questions[1].options[2].label'],
    ],
    [
      'a label repeated in another case',
      ask(question({ options: options('Staging', 'STAGING') })),
      ['questions[0].options[1].label'],
    ],
    [
      'a Cyrillic label repeated in another case',
      ask(question({ options: options('Да', 'ДА') })),
      ['questions[0].options[1].label'],
    ],
    [
      'a label three times',
      ask(question({ options: options('a', 'A', 'a') })),
      ['questions[0].options[1].label', 'questions[0].options[2].label'],
    ],
    [
      'a description an object',
      ask(question({ options: [option('a', { description: {} })] })),
      ['questions[0].options[0].description'],
    ],
    [
      'a description a number',
      ask(question({ options: [option('a', { description: 1 })] })),
      ['questions[0].options[0].description'],
    ],
    [
      'an approval of two questions',
      approval({ questions: [...approval().questions, question()] }),
      ['questions', 'questions[1].options'],
    ],
    ['an approval without options', approval({ questions: [{ question: 'Run?' }] }), ['questions[0].options']],
    ['an approval with options null', approval({ questions: [question({ options: null })] }), ['questions[0].options']],
    ['an approval with no options', approval({ questions: [question({ options: [] })] }), ['questions[0].options']],
    [
      'an approval the other way round',
      approval({ questions: [question({ options: options('Deny', 'Approve') })] }),
      ['questions[0].options'],
    ],
    [
      'an approval in another case',
      approval({ questions: [question({ options: options('approve', 'deny') })] }),
      ['questions[0].options'],
    ],
    [
      'an approval with white space',
      approval({ questions: [question({ options: options('Approve ', 'Deny') })] }),
      ['questions[0].options'],
    ],
    [
      'an approval with one option',
      approval({ questions: [question({ options: options('Approve') })] }),
      ['questions[0].options'],
    ],
    [
      'an approval with another second option',
      approval({ questions: [question({ options: options('Approve', 'Refuse') })] }),
      ['questions[0].options'],
    ],
    [
      'an approval with a third option',
      approval({ questions: [question({ options: options('Approve', 'Deny', 'Always') })] }),
      ['questions[0].options'],
    ],
    ['a text of two questions', text({ questions: [{ question: 'A?' }, { question: 'B?' }] }), ['questions']],
    ['a text with options', text({ questions: [question()] }), ['questions[0].options']],
    [
      'a text of two with options',
      text({ questions: [question(), question()] }),
      ['questions', 'questions[0].options', 'questions[1].options'],
    ],
    ['runner empty', text({ runner: '' }), ['runner']],
    ['runner null', text({ runner: null }), ['runner']],
    ['runner a number', text({ runner: 1 }), ['runner']],
    ['session over 8 KiB', text({ session: 'x'.repeat(8 * 1024 - 1) }), ['session']],
    ['session over 8 KiB in UTF-8', text({ session: 'é'.repeat(4 * 1024) }), ['session']],
    ['session 33 deep', text({ session: nested(33) }), ['session']],
    ['session 100,000 deep', text({ session: nested(100_000) }), ['session']],
    ['allowed_user_ids empty', text({ allowed_user_ids: [] }), ['allowed_user_ids']],
    ['allowed_user_ids null', text({ allowed_user_ids: null }), ['allowed_user_ids']],
    ['allowed_user_ids a text', text({ allowed_user_ids: 'usr_a' }), ['allowed_user_ids']],
    ['allowed_user_ids an object', text({ allowed_user_ids: {} }), ['allowed_user_ids']],
    ['a user that is a number', text({ allowed_user_ids: ['usr_a', 5] }), ['allowed_user_ids[1]']],
    ['a user that is empty', text({ allowed_user_ids: [''] }), ['allowed_user_ids[0]']],
    [
      'what stands behind __proto__ alone',
      JSON.parse(`{"__proto__":${JSON.stringify(text())}}`),
      ['request_id', 'kind', 'questions'],
    ],
  ])('%s', (_, body, paths) => {
    expect(checkRaise(body)).toMatchObject({
      ok: false,
      error: 'invalid_prompt',
      message: 'The prompt is not of the shape that can be asked.',
    });
    expect(pathsOf(body)).toEqual(paths);
  });

  it('in plain sentences', () => {
    const messageOf = (body: unknown) => {
      const checked = checkRaise(body);
      return checked.ok ? [] : checked.details.map(({ message }) => message);
    };
    expect(messageOf(undefined)).toEqual(['This is missing.']);
    expect(messageOf([])).toEqual(['This must be an object.']);
    expect(messageOf(text({ request_id: undefined }))).toEqual(['This is missing.']);
    expect(messageOf(text({ request_id: 5 }))).toEqual(['This must be a text.']);
    expect(messageOf(text({ request_id: '' }))).toEqual(['This must not be empty.']);
    expect(messageOf(text({ request_id: 'r'.repeat(1025) }))).toEqual(['This must have at most 1024 characters.']);
    expect(messageOf(text({ kind: 'x' }))).toEqual(['This must be one of approval, ask_user_question, text.']);
    expect(messageOf(text({ questions: {} }))).toEqual(['This must be a list.']);
    expect(messageOf(ask(...Array.from({ length: 21 }, () => question())))).toEqual([
      'This must have at most 20 entries.',
    ]);
    expect(messageOf(text({ questions: [{ question: 'N?', more: nested(31) }] }))).toEqual([
      'This must not nest deeper than 32.',
    ]);
    expect(messageOf(ask(question({ question: ' ' })))).toEqual(['A question must not be blank.']);
    expect(messageOf(ask(question({ multiSelect: 1 })))).toEqual(['This must be true or false.']);
    expect(messageOf(ask(question({ options: options(' ') })))).toEqual(['A label must not be blank.']);
    expect(messageOf(ask(question({ options: options('a', 'A') })))).toEqual(['This label is repeated.']);
    expect(messageOf(text({ session: 'x'.repeat(9000) }))).toEqual(['A session is at most 8192 bytes of JSON.']);
    expect(messageOf(text({ session: nested(33) }))).toEqual(['This must not nest deeper than 32.']);
    expect(messageOf(text({ questions: [question(), question()] }))).toEqual([
      'A prompt of kind text has one question.',
      'A prompt of kind text has no options.',
      'A prompt of kind text has no options.',
    ]);
    expect(messageOf(approval({ questions: [question(), question()] }))).toEqual([
      'A prompt of kind approval has one question.',
      'An approval has exactly the options Approve and Deny, in that order.',
      'An approval has exactly the options Approve and Deny, in that order.',
    ]);
  });

  it('twenty times at most', () => {
    const checked = checkRaise(ask(...Array.from({ length: 20 }, () => question({ options: options(1, 2, 3) }))));
    expect(checked.ok || checked.details).toHaveLength(20);
  });
});

it('a prompt whose visible escapes would not fit an item of the thread is too large, not unavailable', () => {
  const questions = [{ question: '\u0001'.repeat(50_000) }];
  expect(checkRaise({ request_id: 'r', kind: 'text', questions })).toMatchObject({
    ok: false,
    error: 'prompt_too_large',
    details: [{ path: 'questions' }],
  });
});
