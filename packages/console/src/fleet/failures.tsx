import type { FailureGroup } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatAddress } from '../address/address.js';
import { formatFilter } from '../filter/parse.js';

const MOST_GROUPS = 6;

/** The reasons why cells are unhealthy, grouped, such as `412 × ImagePullBackOff`. A click shows the clusters of a group. */
export function Failures({ groups, addon }: { groups: readonly FailureGroup[]; addon?: string }): JSX.Element {
  return (
    <>
      <h2>Failure reasons</h2>
      {groups.length === 0 ? (
        <p class="dim">No add-on reports a failure.</p>
      ) : (
        <Groups groups={groups.slice(0, MOST_GROUPS)} hasAddOn={addon === undefined} />
      )}
      {groups.length > MOST_GROUPS && (
        <details>
          <summary class="small">{groups.length - MOST_GROUPS} more reasons</summary>
          <Groups groups={groups.slice(MOST_GROUPS)} hasAddOn={addon === undefined} />
        </details>
      )}
    </>
  );
}

function Groups({ groups, hasAddOn }: { groups: readonly FailureGroup[]; hasAddOn: boolean }): JSX.Element {
  return (
    <ul class="lines reasons">
      {groups.map((group) => (
        <li key={`${group.addOn} ${group.reason} ${group.message}`}>
          <b class="times">{group.count.toLocaleString()} ×</b>
          <span class="grow" title={group.message}>
            <a href={addressOfGroup(group)}>{group.reason}</a>
            {hasAddOn && <span class="dim"> {group.addOn}</span>}
            <span class="example">{group.message}</span>
          </span>
          <span class="since">
            {group.clusters.slice(0, 2).join(', ')}
            {group.count > 2 && ' …'}
          </span>
        </li>
      ))}
    </ul>
  );
}

function addressOfGroup({ addOn, reason }: FailureGroup): string {
  const term = (key: string, value: string) => ({ key, comparison: '=' as const, values: [value], isNegated: false });
  return formatAddress({ page: { page: 'fleet' }, choices: { q: formatFilter([term('addon', addOn), term('reason', reason)]) } });
}
