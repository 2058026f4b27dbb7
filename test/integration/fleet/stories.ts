import { showsChangedReferences } from './changed-references.js';
import { keepsRevisions } from './revisions.js';
import { gatesHoldAnUpgrade } from './gates.js';
import { errorRateRises, providerAway, threeClustersDecideNothing } from './analysis-stories.js';
import {
  deletedPolicyHoldsOn,
  groupsWithFreezeAndApproval,
  overrideEndsByItself,
  storesAPrediction,
  windowHoldsARemoval,
} from './policy-stories.js';
import { asksBeforeRemovingAll, missingPlacementHoldsItsOwn, narrowerStrategyWithNewContent, soakIsWaitedFor } from './safety.js';
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

/** The scenarios that run on the embedded server and on a real one. */
export const stories: readonly { readonly name: string; readonly tell: (world: StoryWorld) => Promise<void> }[] = [
  {
    name: 'installs the default version, upgrades by itself, upgrades a canary, rolls back, and refuses versions without a template',
    tell: lifecycle,
  },
  { name: 'installs, upgrades and rolls back one cluster by its override, and reports when each was finished', tell: versionsByHand },
  { name: 'reports on add-on and declaration that an entry names a version and the template of another', tell: disagreement },
  { name: 'installs where a Placement decides, creates deleted add-ons again, and removes after a delay', tell: followsAPlacement },
  { name: 'installs by cluster labels, never on a cluster that is being deleted or opted out', tell: followsLabels },
  { name: 'keeps different settings for different Placements, and overrides', tell: keepsDifferentSettings },
  { name: 'deletes every add-on with its cluster, and creates none on a cluster that is being deleted', tell: leavesWithItsCluster },
  { name: 'AT-42 keeps all add-ons when the strategy becomes Manual and back, and adopts none', tell: switchesStrategies },
  { name: 'AT-42 keeps an override until its owner removes it, and removes the fields that the strategy drops', tell: keepsAPersonsEdit },
  { name: 'AT-49 keeps the revision of each cluster in an annotation, whatever a status names', tell: keepsRevisions },
  { name: 'shows the progress of a changed reference: another object empties it, success fills it', tell: showsChangedReferences },
  { name: 'AT-36 waits for a confirmation before it removes all add-ons of a small fleet', tell: asksBeforeRemovingAll },
  { name: 'AT-36 holds up only the last known clusters of a Placement that is missing', tell: missingPlacementHoldsItsOwn },
  { name: 'admits the clusters that no gate of a rollout policy holds, and holds no way back', tell: gatesHoldAnUpgrade },
  { name: 'rolls out to three groups, with a freeze in between and an approval before the last', tell: groupsWithFreezeAndApproval },
  { name: 'opens a freeze by an override, for one revision and a short time', tell: overrideEndsByItself },
  { name: 'holds a removal while a window is closed, and shows it until an override opens the window', tell: windowHoldsARemoval },
  { name: 'stores when a rollout is expected to end, once for each target', tell: storesAPrediction },
  { name: 'holds clusters for five more minutes when their policy is changed or deleted', tell: deletedPolicyHoldsOn },
  { name: 'waits for the soak of a cluster before the next one moves, also on a fresh install', tell: soakIsWaitedFor },
  { name: 'goes back by itself when errors rise on the canary, and rolls out the fixed version', tell: errorRateRises },
  { name: 'halts as inconclusive while the metrics provider is away', tell: providerAway },
  { name: 'halts as inconclusive if three clusters are too few to compare', tell: threeClustersDecideNothing },
  { name: 'AT-61 moves two clusters when one edit brings new content and a narrower strategy', tell: narrowerStrategyWithNewContent },
];
