import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipText } from './clip-text.js';
import { setCondition } from './conditions.js';

const AT = { generation: 1, now: '2026-01-01T00:00:00Z' };
const text = fc.string({ unit: 'binary', maxLength: 40 });

describe('the message of a condition', () => {
  const withMessage = (message: string) => ({ type: 'Progressing', status: 'False', reason: 'Failed', message }) as const;

  it('is shortened to the length that an API server accepts', () => {
    const accepted = 'é'.repeat(32_768);
    expect(setCondition([], withMessage(accepted), AT)[0]?.message).toBe(accepted);
    const [condition] = setCondition([], withMessage(`${accepted}x`), AT);
    expect(condition?.message).toBe(`${'é'.repeat(32_767)}…`);
  });

  it('does not change a condition that already has the shortened message', () => {
    const list = setCondition([], withMessage('x'.repeat(1024 * 1024)), AT);
    expect(setCondition(list, withMessage('x'.repeat(1024 * 1024)), { ...AT, now: '2026-01-01T00:00:01Z' })).toBe(list);
  });
});

describe('a shortened text', () => {
  it('has at most the given length, is a beginning of the text, and has no half characters', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (long, max) => {
        const clipped = clipText(long, max);
        expect(clipped.length).toBeLessThanOrEqual(max);
        expect(new TextDecoder().decode(new TextEncoder().encode(clipped))).toBe(clipped);
        expect(long.length <= max ? clipped === long : clipped.endsWith('…') && long.startsWith(clipped.slice(0, -1))).toBe(true);
        if (long.length > max) expect(clipped.length).toBeGreaterThanOrEqual(max - 1);
      }),
    );
  });
});
