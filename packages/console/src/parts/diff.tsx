import type { DiffLine, ManifestDiff } from '@outrigger/console-contract';
import type { JSX } from 'preact';

const CLASSES: Readonly<Record<DiffLine['mark'], string>> = { ' ': '', '+': 'added', '-': 'removed', '…': 'gap' };

/** The lines of one manifest that differ. */
export function Diff({ diff, isOpen }: { diff: ManifestDiff; isOpen: boolean }): JSX.Element {
  const { kind, namespace, name, change, lines } = diff;
  const place = namespace === '' ? name : `${namespace}/${name}`;
  return (
    <details class="diff" open={isOpen}>
      <summary>
        {kind} <b>{place}</b> <span class={`tag tag-${change}`}>{change}</span>
      </summary>
      <pre class="yaml" tabIndex={0} aria-label={`Difference of ${kind} ${place}`}>
        {lines.map(({ mark, text }, index) => (
          <span key={index} class={`line ${CLASSES[mark]}`}>
            {`${mark} ${text}\n`}
          </span>
        ))}
      </pre>
    </details>
  );
}
