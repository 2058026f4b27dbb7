import type { RevisionItem, TargetOutcome } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatAddress } from '../address/address.js';
import { ActionButton } from '../parts/confirm.js';
import { Moment } from '../parts/moment.js';

/** Shows the revisions that the hub keeps, each with the clusters that have it, its outcomes as a target, and the rollback button. */
export function Revisions({ addon, items }: { addon: string; items: readonly RevisionItem[] }): JSX.Element {
  if (items.length === 0) return <p class="dim">No revision has been a target yet.</p>;
  return (
    <ul class="lines revisions">
      {items.map((item) => (
        <li key={item.revision}>
          <b class="nowrap revision">#{item.revision}</b>
          <span class="grow">
            <b>{item.version}</b> <span class="dim small mono">{item.digest.slice(0, 12)}</span>{' '}
            {item.entries.length > 0 && <Target entries={item.entries} />}
            {item.isPinned && <span class="tag tag-current">pinned</span>}
            {item.outcomes.slice(0, 3).map((outcome) => (
              <Outcome key={`${outcome.entry} ${outcome.at}`} addon={addon} outcome={outcome} />
            ))}
            <span class="dim small">{item.configs.join(', ')}</span>
          </span>
          <span class="since" title={item.names.join(', ')}>
            {item.clusters === 1 && item.names[0] !== undefined ? `on ${item.names[0]}` : `on ${item.clusters.toLocaleString()} clusters`}
            {item.targetedAt !== undefined && (
              <>
                {' · '}
                <Moment at={item.targetedAt} />
              </>
            )}
          </span>
          {item.rollBack !== undefined && <ActionButton offer={item.rollBack} />}
        </li>
      ))}
    </ul>
  );
}

function Target({ entries }: { entries: readonly string[] }): JSX.Element {
  const text = `target of ${entries.join(', ')}`;
  return (
    <span class="tag tag-current" title={text}>
      {text}
    </span>
  );
}

const CAUSES: Readonly<Record<string, string>> = {
  Declaration: 'the declaration',
  Template: 'an edited template',
  Config: 'an edited configuration',
  DefaultVersion: 'a newer default version',
  Pin: 'a pin',
  Automatic: 'the manager',
};

export const OUTCOME_WORDS: Readonly<Record<string, string>> = {
  Completed: 'completed',
  Halted: 'halted',
  Superseded: 'replaced before its end',
  RolledBack: 'rolled back',
};

function Outcome({ addon, outcome }: { addon: string; outcome: TargetOutcome }): JSX.Element {
  const { entry, at, endedAt, outcome: end, cause, by, selected, done, failed, record } = outcome;
  return (
    <span class="outcome small">
      <span class={`tag tag-${end === '' ? 'current' : end.toLowerCase()}`}>{end === '' ? 'going on' : (OUTCOME_WORDS[end] ?? end)}</span>{' '}
      {entry}: {done.toLocaleString()} of {selected.toLocaleString()} done{failed > 0 && `, ${failed.toLocaleString()} failed`}
      <span class="dim">
        {' · '}
        <Moment at={endedAt ?? at} />
        {cause !== '' && ` · by ${CAUSES[cause] ?? cause}`}
        {by !== '' && ` (${by})`}
      </span>
      {record !== undefined && (
        <>
          {' '}
          <a href={formatAddress({ page: { page: 'rollout', addon }, choices: { record } })}>Replay</a>
        </>
      )}
    </span>
  );
}
