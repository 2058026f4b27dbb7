import { expect, it } from 'vitest';
import { MAX_VIEW } from '../views/limits.js';
import { errorOf } from './app.js';
import { viewText } from './view-text.js';

it('a view of up to 16 MB is sent, a larger one is refused with its size and the command to use', () => {
  const largest = 'x'.repeat(MAX_VIEW - 2);
  expect(viewText(largest)).toHaveLength(MAX_VIEW);
  let refusal: unknown;
  try {
    viewText(`${largest}x`);
  } catch (error) {
    refusal = errorOf(error);
  }
  expect(refusal).toEqual({ code: 'too-large', message: 'this view has 17 MB, more than a browser should load: use outrigger get' });
});
