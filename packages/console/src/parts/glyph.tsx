import type { JSX } from 'preact';
import { lookOf, PATHS } from './states.js';

/** The icon of a state. Next to the name of the state it is decorative; if shown alone, it has the name as its label for screen readers. */
export function Glyph({ state, alone = false }: { state: string; alone?: boolean }): JSX.Element {
  const { shape, tone, word } = lookOf(state);
  const { path, isFilled } = PATHS[shape];
  return (
    <svg class={`glyph tone-${tone}`} viewBox="0 0 16 16" {...(alone ? { role: 'img', 'aria-label': word } : { 'aria-hidden': true })}>
      {isFilled ? (
        <path d={path} fill="currentColor" />
      ) : (
        <path d={path} fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" />
      )}
    </svg>
  );
}
