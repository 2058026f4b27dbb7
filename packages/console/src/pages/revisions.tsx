import type { RevisionItem } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { ActionButton } from '../parts/confirm.js';
import { Moment } from '../parts/moment.js';

/** The revisions that the hub keeps: which clusters have each, and the way back. */
export function Revisions({ items }: { items: readonly RevisionItem[] }): JSX.Element {
  if (items.length === 0) return <p class="dim">No revision has been a target yet.</p>;
  return (
    <ul class="lines">
      {items.map((item) => (
        <li key={item.revision}>
          <b class="nowrap">#{item.revision}</b>
          <span class="grow">
            {item.version} <span class="dim small mono">{item.digest.slice(0, 12)}</span>{' '}
            <span class="dim small">
              {item.configs.join(', ')}
              {item.entries.length > 0 && ` · target of ${item.entries.join(', ')}`}
              {item.isPinned && ' · held'}
            </span>
          </span>
          <span class="since">
            {item.clusters.toLocaleString()} clusters · <Moment at={item.targetedAt} />
          </span>
          {item.rollBack !== undefined && <ActionButton offer={item.rollBack} />}
        </li>
      ))}
    </ul>
  );
}
