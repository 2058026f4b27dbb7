import { MAX_VIEW } from '../views/limits.js';
import { ViewFailure } from './messages.js';

/** Returns the view as JSON. Refuses a view that is so large that it would block the user's browser. */
export function viewText(answer: unknown): string {
  const text = JSON.stringify(answer);
  if (text.length <= MAX_VIEW) return text;
  throw new ViewFailure(
    'too-large',
    `this view has ${Math.ceil(text.length / 1_000_000)} MB, more than a browser should load: use outrigger get`,
  );
}
