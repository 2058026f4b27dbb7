import type { JSX } from 'preact';

/** The mark of the project: a hull with its outrigger, seen from above. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2.5 7.2c4.6-3 14.4-3 19 0c-4.6 3-14.4 3-19 0z" fill="currentColor" />
      <path d="M6 18.4c3-1.7 9-1.7 12 0c-3 1.7-9 1.7-12 0z" fill="currentColor" />
      <path d="M8.6 8.5v9M15.4 8.5v9" stroke="currentColor" stroke-width="1.6" />
    </svg>
  );
}
