import type { JSX } from 'preact';
import { link } from '../data/link.js';
import { useStore } from '../data/store.js';
import { Moment } from '../parts/moment.js';

/** Shows the problem between this page and the hub, and the time since which it has existed. The page below keeps its last state. */
export function Notices(): JSX.Element {
  const { goneSince, hub } = useStore(link);
  return (
    <div role="status">
      {goneSince !== undefined && (
        <div class="notice">
          The console's server has not answered for <Moment at={goneSince} length />. This is the last known state; it catches up by itself.
        </div>
      )}
      {goneSince === undefined && hub !== undefined && (
        <div class="notice">
          The hub has not answered for <Moment at={hub.since} length />: {hub.message} This is the last known state; it catches up by
          itself.
        </div>
      )}
    </div>
  );
}
