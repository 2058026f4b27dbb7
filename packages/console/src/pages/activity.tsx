import type { ActivityPage } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { addressWith, replaceChoices, useAddress } from '../address/router.js';
import { View } from '../data/use-view.js';
import { ActivityList } from '../parts/activity-list.js';
import { exactText } from '../parts/time.js';

/** `/activity`: events of the fleet, newest first. */
export function ActivityPageView(): JSX.Element {
  const { choices } = useAddress();
  const { addon = '', cluster = '', type = '', before = '' } = choices;
  return (
    <>
      <h1 class="alone">Activity</h1>
      <div class="tools">
        <input
          type="search"
          class="narrow"
          aria-label="Only this add-on"
          placeholder="Add-on"
          value={addon}
          onChange={(event) => replaceChoices({ addon: event.currentTarget.value.trim(), before: '' })}
        />
        <input
          type="search"
          class="narrow"
          aria-label="Only this cluster"
          placeholder="Cluster"
          value={cluster}
          onChange={(event) => replaceChoices({ cluster: event.currentTarget.value.trim(), before: '' })}
        />
        <label>
          <span class="dim">Show </span>
          <select value={type} onChange={(event) => replaceChoices({ type: event.currentTarget.value, before: '' })}>
            <option value="">everything</option>
            <option value="Warning">warnings</option>
          </select>
        </label>
      </div>
      <View<ActivityPage> name="Activity" request={{ view: 'activity', addOn: addon, cluster, type, before }}>
        {({ groups, reachesBackTo, hasMore }) => (
          <>
            <section class="panel" aria-label="Activity">
              <ActivityList groups={groups} />
            </section>
            {hasMore && groups.length > 0 && <a href={addressWith({ before: groups.at(-1)?.item.id ?? '' })}>Show older</a>}
            {reachesBackTo !== undefined && (
              <p class="dim small">
                The record reaches back to {exactText(reachesBackTo)}. Changes of targets are kept in the rollouts; Kubernetes forgets
                Events after an hour by default.
              </p>
            )}
          </>
        )}
      </View>
    </>
  );
}
