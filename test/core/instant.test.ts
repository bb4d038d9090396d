import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLater, millisecondsBetween, parseInstant } from '#core/instant.ts';

const SECOND = 1_000_000;

describe('microseconds since 1970 (T3)', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['1970-01-01T00:00:00.000001Z', 1],
    ['1970-01-01T00:00:00.1Z', 100_000],
    ['1970-01-01T00:00:00.123Z', 123_000],
    ['1970-01-01T00:00:00.123456+00:00', 123_456],
    ['1970-01-01T00:00:00.1234567Z', 123_456],
    ['1970-01-01T00:00:00.000000999999Z', 0],
    ['1969-12-31T23:59:59.999999Z', -1],
    ['1970-01-01T01:00:00+01:00', 0],
    ['1970-01-01T05:30:00+05:30', 0],
    ['1969-12-31T23:30:00-00:30', 0],
    ['1970-01-01T05:30:00+0530', 0],
    ['1970-01-01T05:00:00+05', 0],
    ['1970-01-01T00:00:00-23:59', (23 * 60 + 59) * 60 * SECOND],
    ['1970-01-01T23:59:00+23:59', 0],
    ['1970-01-01T23:59:60Z', 24 * 3600 * SECOND],
    ['2000-02-29T00:00:00Z', 951_782_400 * SECOND],
    ['2024-02-29T23:59:59Z', 1_709_251_199 * SECOND],
    ['2026-05-28T12:00:00.000000+00:00', 1_779_969_600 * SECOND],
    ['2026-12-31T23:59:59Z', 1_798_761_599 * SECOND],
  ])('%s is %i', (text, micros) => {
    expect(parseInstant(text)).toBe(micros);
  });

  it.each([0, 100, 1600, 1900, 1968, 1970, 1999, 2000, 2001, 2024, 2026, 2100, 2255])(
    'of every day of the year %i as the calendar has it, and of no other',
    (year) => {
      const yyyy = String(year).padStart(4, '0');
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const date = `${yyyy}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
          const known = Date.parse(`${date}T00:00:00Z`);
          // Date.parse takes the 30th of February for the 2nd of March.
          const isDay = !Number.isNaN(known) && new Date(known).toISOString().startsWith(date);
          expect([date, parseInstant(`${date}T00:00:00Z`)]).toEqual([date, isDay ? known * 1000 : undefined]);
        }
      }
    },
  );

  it.each([
    '',
    'yesterday',
    '2026-05-28',
    '2026-05-28T12:00:00',
    '2026-05-28 12:00:00Z',
    '2026-05-28t12:00:00z',
    '2026-05-28T12:00Z',
    '2026-05-28T12:00:00.Z',
    '2026-05-28T12:00:00,5Z',
    '2026-05-28T24:00:00Z',
    '2026-05-28T12:60:00Z',
    '2026-05-28T12:00:61Z',
    '2026-05-28T12:00:00+24:00',
    '2026-05-28T12:00:00+00:60',
    '2026-05-28T12:00:00+1:00',
    '2026-05-28T12:00:00+01:0',
    '2026-05-28T12:00:00+01:00:00',
    '2026-05-28T12:00:00 +01:00',
    '2026-05-28T12:00:00Z ',
    ' 2026-05-28T12:00:00Z',
    '2026-05-28T12:00:00Z\n',
    '26-05-28T12:00:00Z',
    '+12026-05-28T12:00:00Z',
    '2026-5-28T12:00:00Z',
    '２026-05-28T12:00:00Z',
    '1790000000000',
  ])('%j is no time', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  const moments = fc.integer({ min: Date.UTC(1600, 0), max: Date.UTC(2250, 0) });
  const micros = fc.integer({ min: 0, max: 999 });
  const offsets = fc.integer({ min: -1439, max: 1439 });
  /** The host's spelling of a moment (in milliseconds, and micros beyond) as clocks show it so many minutes off. */
  function spell(ms: number, beyond: number, offset: number): string {
    const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1);
    const two = (n: number) => String(n).padStart(2, '0');
    const minutes = Math.abs(offset);
    const sign = offset < 0 ? '-' : '+';
    return `${local}${String(beyond).padStart(3, '0')}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  }

  it('is the same moment whatever the offset', () => {
    fc.assert(
      fc.property(moments, micros, offsets, (ms, beyond, offset) => {
        expect(parseInstant(spell(ms, beyond, offset))).toBe(ms * 1000 + beyond);
      }),
    );
  });

  it('orders as the moments do, across offsets', () => {
    const spelled = fc.tuple(moments, micros, offsets);
    const near = spelled.chain(([ms, beyond]) =>
      fc.tuple(
        fc.constant(ms),
        micros.map((more) => (beyond + more) % 1000),
        offsets,
      ),
    );
    fc.assert(
      fc.property(spelled, fc.oneof(spelled, near), (a, b) => {
        const [first, second] = [a, b].map(([ms, beyond]) => BigInt(ms) * 1000n + BigInt(beyond)) as [bigint, bigint];
        expect(isLater(spell(...a), spell(...b))).toBe(first > second);
        expect(isLater(spell(...b), spell(...a))).toBe(second > first);
      }),
    );
  });

  it('orders two texts of one offset as the texts themselves', () => {
    fc.assert(
      fc.property(moments, moments, micros, micros, offsets, (a, b, beyondA, beyondB, offset) => {
        const [first, second] = [spell(a, beyondA, offset), spell(b, beyondB, offset)];
        expect(isLater(first, second)).toBe(first > second);
      }),
    );
  });
});

describe('isLater (A1)', () => {
  it.each([
    ['2026-05-28T12:00:00.000001+00:00', '2026-05-28T12:00:00.000000+00:00', true],
    ['2026-05-28T12:00:00.000000+00:00', '2026-05-28T12:00:00.000000+00:00', false],
    ['2026-05-28T12:00:00.000000+00:00', '2026-05-28T12:00:00.000001+00:00', false],
    ['2026-05-28T14:00:00.000001+02:00', '2026-05-28T12:00:00Z', true],
    ['2026-05-28T11:00:00-01:00', '2026-05-28T12:00:00Z', false],
    ['2026-05-28T12:00:00.0000009Z', '2026-05-28T12:00:00.000000Z', false],
    ['2026-05-28T12:00:00Z', 'yesterday', false],
    ['tomorrow', '2026-05-28T12:00:00Z', false],
    ['tomorrow', 'yesterday', false],
  ])('%s is later than %s: %s', (a, b, later) => {
    expect(isLater(a, b)).toBe(later);
  });
});

describe('millisecondsBetween', () => {
  it('keeps the microseconds as fractions, and says nothing of a time that is none', () => {
    const from = '2026-05-28T12:00:00.000000+00:00';
    expect(millisecondsBetween(from, '2026-05-28T14:00:01.000500+02:00')).toBe(1000.5);
    expect(millisecondsBetween(from, 'yesterday')).toBeUndefined();
    expect(millisecondsBetween('', from)).toBeUndefined();
  });
});
