import type { JSX } from 'preact';
import type { Page } from '../address/address.js';
import { ActivityPageView } from './activity.js';
import { AddOnPageView } from './add-on.js';
import { CellPageView } from './cell.js';
import { ClusterPageView } from './cluster.js';
import { ObjectPageView } from './object.js';
import { RolloutPageView } from './rollout.js';

/** Every page except the fleet. They are built as one file, which is loaded when the first of them is opened. */
export function LaterPage({ page }: { page: Exclude<Page, { page: 'fleet' | 'unknown' }> }): JSX.Element {
  switch (page.page) {
    case 'addon':
      return <AddOnPageView addon={page.addon} />;
    case 'rollout':
      return <RolloutPageView addon={page.addon} />;
    case 'cluster':
      return <ClusterPageView cluster={page.cluster} />;
    case 'cell':
      return <CellPageView cluster={page.cluster} addon={page.addon} />;
    case 'activity':
      return <ActivityPageView />;
    case 'object':
      return <ObjectPageView object={page.object} />;
  }
}
