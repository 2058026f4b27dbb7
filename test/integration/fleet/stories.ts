import { keepsRevisions } from './revisions.js';
import { asksBeforeRemovingAll, missingPlacementHoldsItsOwn, narrowerStrategyWithNewContent } from './safety.js';
import { disagreement, lifecycle, versionsByHand } from './seed-001.js';
import {
  followsAPlacement,
  followsLabels,
  keepsAPersonsEdit,
  keepsDifferentSettings,
  leavesWithItsCluster,
  switchesStrategies,
} from './seed-002.js';
import type { StoryWorld } from './world.js';

/** Run on the embedded server and on a real one. */
export const stories: readonly { readonly name: string; readonly tell: (world: StoryWorld) => Promise<void> }[] = [
  {
    name: 'installs the default version, upgrades by itself, goes canary, rolls back, and refuses versions nobody offers',
    tell: lifecycle,
  },
  { name: 'installs, upgrades and rolls back one cluster as a person wants, and says when each was finished', tell: versionsByHand },
  { name: 'says on add-on and declaration that an entry names a version and the template of another', tell: disagreement },
  { name: 'installs where a placement decides, brings back what is deleted by hand, and removes after a while', tell: followsAPlacement },
  { name: 'installs by cluster labels, never on a cluster that is leaving or does not want it', tell: followsLabels },
  { name: 'keeps different settings for different placements, and what a person changed', tell: keepsDifferentSettings },
  { name: 'takes every add-on away with its cluster, and makes none on one that is going', tell: leavesWithItsCluster },
  { name: 'AT-42 keeps everything over Manual and back, and adopts nothing', tell: switchesStrategies },
  { name: "AT-42 keeps a person's edit, lets go of it when it is given back, and drops what the strategy drops", tell: keepsAPersonsEdit },
  { name: 'AT-49 keeps the revision of each cluster in an annotation, whatever a status names', tell: keepsRevisions },
  { name: 'AT-36 asks before it removes all add-ons of a small fleet', tell: asksBeforeRemovingAll },
  { name: 'AT-36 holds up only the last known clusters of a Placement that is missing', tell: missingPlacementHoldsItsOwn },
  { name: 'AT-61 moves two clusters when one edit brings new content and a narrower strategy', tell: narrowerStrategyWithNewContent },
];
