import type { ComponentChildren, JSX } from 'preact';

/** A section of a page with a heading. */
export function Panel({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
