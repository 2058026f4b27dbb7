import type { ClusterAddOn, ClusterPage } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatAddress, formatPage } from '../address/address.js';
import { View } from '../data/use-view.js';
import { ActivityList } from '../parts/activity-list.js';
import { Conditions } from '../parts/conditions.js';
import { Glyph } from '../parts/glyph.js';
import { Moment } from '../parts/moment.js';
import { ObjectName } from '../parts/object-link.js';
import { lookOf } from '../parts/states.js';
import { dependencyDepths } from './dependency-depths.js';
import { Works } from './works.js';
import { Panel } from '../parts/panel.js';

export function ClusterPageView({ cluster }: { cluster: string }): JSX.Element {
  return (
    <>
      <p class="crumbs">
        <a href="/">Fleet</a> / cluster
      </p>
      <h1>{cluster}</h1>
      <View<ClusterPage> name={`The cluster ${cluster}`} request={{ view: 'cluster', cluster }}>
        {(page) => <Cluster page={page} />}
      </View>
    </>
  );
}

function Cluster({ page }: { page: ClusterPage }): JSX.Element {
  return (
    <>
      <p class="facts">
        <span class={`pill tone-${lookOf(page.state).tone}`}>
          <Glyph state={page.state} /> {lookOf(page.state).word}
        </span>
        {page.kubernetes !== '' && <span>Kubernetes {page.kubernetes}</span>}
        {page.lease?.renewedAt !== undefined && (
          <span>
            lease renewed <Moment at={page.lease.renewedAt} />
          </span>
        )}
        <ObjectName object={page.object} text="YAML" />
      </p>
      <Panel title="Add-ons">
        <AddOnTree cluster={page.name} addOns={page.addOns} />
      </Panel>
      <div class="columns ragged">
        <Panel title="Labels">
          <Pairs
            pairs={Object.entries(page.labels).sort(([a], [b]) => (a < b ? -1 : 1))}
            link={(key, value) => formatAddress({ page: { page: 'fleet' }, choices: { q: `label:${key}=${value}` } })}
          />
        </Panel>
        <Panel title="Claims">
          <Pairs pairs={page.claims.map(({ name, value }) => [name, value])} />
          {page.taints.length > 0 && (
            <>
              <h2>Taints</h2>
              <Pairs pairs={page.taints.map(({ key, value, effect }) => [key, `${value} ${effect}`.trim()])} />
            </>
          )}
        </Panel>
      </div>
      <Panel title="Works">
        <Works works={page.works} />
      </Panel>
      <Panel title="Conditions">
        <Conditions conditions={page.conditions} />
      </Panel>
      <Panel title="Events">
        <ActivityList groups={page.events} />
      </Panel>
    </>
  );
}

/** Shows the add-ons in dependency order. An add-on is indented below its dependencies. */
function AddOnTree({ cluster, addOns }: { cluster: string; addOns: readonly ClusterAddOn[] }): JSX.Element {
  if (addOns.length === 0) return <p class="dim">No add-on is installed on this cluster.</p>;
  const depths = dependencyDepths(addOns);
  return (
    <ul class="lines">
      {addOns.map((addOn) => (
        <li key={addOn.name} style={{ paddingLeft: `${(depths.get(addOn.name) ?? 0) * 24}px` }}>
          <Glyph state={addOn.state} alone />
          <span class="grow">
            <a href={formatPage({ page: 'cell', cluster, addon: addOn.name })}>{addOn.name}</a>{' '}
            <span class="dim">
              {addOn.version}
              {addOn.target !== '' && addOn.target !== addOn.version && ` → ${addOn.target}`}
            </span>
            {addOn.state !== 'available' && (
              <span class={`tone-${lookOf(addOn.state).tone}`}>
                {' '}
                {lookOf(addOn.state).word}
                {addOn.reason !== '' && addOn.reason.toLowerCase() !== addOn.state && `: ${addOn.reason}`}
              </span>
            )}
            {addOn.dependsOn.length > 0 && <span class="dim small"> needs {addOn.dependsOn.join(', ')}</span>}
          </span>
          {addOn.differsFromFleet && <span class="tag tag-differs">differs from the fleet</span>}
        </li>
      ))}
    </ul>
  );
}

function Pairs({
  pairs,
  link,
}: {
  pairs: readonly (readonly [string, string])[];
  link?: (key: string, value: string) => string;
}): JSX.Element {
  if (pairs.length === 0) return <p class="dim">None.</p>;
  return (
    <table class="plain pairs">
      <tbody>
        {pairs.map(([key, value]) => (
          <tr key={key}>
            <th scope="row">{key}</th>
            <td>{link === undefined ? value : <a href={link(key, value)}>{value || '(empty)'}</a>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
