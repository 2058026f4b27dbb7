import type { CacheView } from '@outrigger/kube';
import { clusters } from '../resources/clusters.js';
import { decisions, placements } from '../resources/placements.js';
import type { StrategyLookups } from '@outrigger/rules/strategy';

export function strategyLookups(view: CacheView): StrategyLookups {
  return {
    placement(key) {
      const [namespace = '', name = ''] = key.split('/');
      return view.get(placements, { namespace, name });
    },
    pages: (placement) => view.byIndex(decisions, 'placement', placement),
    pagesWith: (cluster) => view.byIndex(decisions, 'cluster', cluster),
    cluster: (name) => view.get(clusters, { name }),
    clusters: () => view.list(clusters),
  };
}
