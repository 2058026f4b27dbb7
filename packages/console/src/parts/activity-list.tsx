import type { ActivityGroup, ActivityItem } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';
import { Glyph } from './glyph.js';
import { Moment } from './moment.js';
import { ObjectName } from './object-link.js';
import { Prose } from './prose.js';
import { reasonWords } from './reason-words.js';

/** Shows the activity on the hub, newest first. The same event on many clusters is one line. */
export function ActivityList({ groups }: { groups: readonly ActivityGroup[] }): JSX.Element {
  if (groups.length === 0) return <p class="dim">Nothing is recorded.</p>;
  return (
    <ul class="lines log">
      {groups.map((group) => (
        <Line key={group.item.id} group={group} />
      ))}
    </ul>
  );
}

/** The reasons that have their own icon. Other events have the icon of a note or a warning, by their type. */
const LOOKS: Readonly<Record<string, string>> = {
  RolloutCompleted: 'Completed',
  RolloutHalted: 'Halted',
  RolloutStarted: 'Progressing',
  TargetChanged: 'Progressing',
  Failed: 'failed',
};

function Line({ group: { item, clusters } }: { group: ActivityGroup }): JSX.Element {
  const { addOn, object, by } = item;
  const known = Object.hasOwn(LOOKS, item.reason) ? LOOKS[item.reason] : undefined;
  return (
    <li>
      <Glyph state={known ?? (item.type === 'Warning' ? 'degraded' : 'event')} />
      <span class="grow">
        <b title={item.reason}>{reasonWords(item.reason)}</b> <Prose text={item.message} />{' '}
        {item.count > 1 && (
          <span class="dim">
            ({item.count} times{clusters.length > 1 && ' each'})
          </span>
        )}
        <span class="about">
          {clusters.length > 1 ? (
            <Clusters addOn={addOn} clusters={clusters} />
          ) : (
            <>
              <About item={item} />
              {by !== '' && by !== 'outrigger-hub' && <span> by {by}</span>}
              {object !== undefined && <ObjectName object={object} text="YAML" />}
            </>
          )}
        </span>
      </span>
      <span class="since">
        <Moment at={item.at} />
      </span>
    </li>
  );
}

function About({ item: { addOn, cluster } }: { item: ActivityItem }): JSX.Element | null {
  if (addOn !== undefined && cluster !== undefined) {
    return (
      <a href={formatPage({ page: 'cell', cluster, addon: addOn })}>
        {addOn} on {cluster}
      </a>
    );
  }
  if (addOn !== undefined) return <a href={formatPage({ page: 'rollout', addon: addOn })}>{addOn}</a>;
  return cluster === undefined ? null : <a href={formatPage({ page: 'cluster', cluster })}>{cluster}</a>;
}

function Clusters({ addOn, clusters }: { addOn: string | undefined; clusters: readonly string[] }): JSX.Element {
  return (
    <details>
      <summary>
        {addOn !== undefined && `${addOn} on `}
        {clusters.length.toLocaleString()} clusters
      </summary>
      <span class="names">
        {clusters.map((cluster) => (
          <a key={cluster} href={formatPage(addOn === undefined ? { page: 'cluster', cluster } : { page: 'cell', cluster, addon: addOn })}>
            {cluster}
          </a>
        ))}
      </span>
    </details>
  );
}
