import { judgeDependencies } from './dependencies.js';
import { contentOfWork, imageOfTemplate, levelOfConfig } from './content.js';
import { judgeRightsAtEnd } from './rights.js';
import type { Evidence, ObjectHistory, Stored, Violation } from './log.js';
import { equal } from './json.js';
import {
  type AddOnSpec,
  type AddOnStatus,
  type DeclarationSpec,
  KIND,
  MARK,
  type Membership,
  type RecordStatus,
  conditionOf,
  decidedGroups,
  isManual,
  isUserOwned,
  membershipOf,
  selectedClusters,
  specOf,
  statusOf,
} from './reading.js';

const REVISION_ANNOTATION = 'outrigger.dev/revision';

/** After users and faults have stopped, the fleet must match the declarations, and the hub must write nothing more. */
export function judgeEnd(history: ObjectHistory, evidence: Evidence): readonly Violation[] {
  const found: Violation[] = evidence.defects.map((message) => ({ rule: 'exception', message }));
  if (!evidence.hasSettled) return [...found, { rule: 'settles', message: 'the hub has not settled' }];
  found.push(...quiet('quiet when settled', evidence.idleRequests), ...quiet('quiet after a restart', evidence.restartRequests));
  for (const declaration of history.list(KIND.declarations)) found.push(...judgeDeclaration(history, declaration));
  for (const placement of history.list(KIND.placements)) found.push(...judgePlacement(history, placement));
  found.push(...judgeLeftovers(history, evidence), ...judgeRightsAtEnd(history, (addOn) => templateOf(history, addOn)));
  return found;
}

function quiet(rule: string, requests: readonly string[]): readonly Violation[] {
  if (requests.length === 0) return [];
  return [{ rule, message: `${requests.length} write requests, among them: ${requests.slice(0, 3).join('; ')}` }];
}

/** At the end every cluster is available, so a Placement must select all accepted clusters that its label selector matches. */
function judgePlacement(history: ObjectHistory, { metadata, spec }: Stored): readonly Violation[] {
  const { namespace = '', name = '' } = metadata;
  const [predicate] = (spec as PlacementSpec | undefined)?.predicates ?? [];
  const labels = predicate?.requiredClusterSelector?.labelSelector?.matchLabels ?? {};
  const wanted = selectedClusters(history, labels);
  const decided = decidedGroups(history, { namespace, name }).flat().sort();
  if (equal(decided, wanted)) return [];
  return [{ rule: 'placement', message: `${name} selects ${decided.join(', ') || 'no cluster'} instead of ${wanted.join(', ')}` }];
}

interface PlacementSpec {
  readonly predicates?: readonly {
    readonly requiredClusterSelector?: { readonly labelSelector?: { readonly matchLabels?: Readonly<Record<string, string>> } };
  }[];
}

function judgeDeclaration(history: ObjectHistory, declaration: Stored): readonly Violation[] {
  const { name = '' } = declaration.metadata;
  const members = membershipOf(history, declaration);
  const found: Violation[] = [];
  const fail = (rule: string, message: string): void => void found.push({ rule, message });
  for (const { clusters } of members) {
    for (const cluster of clusters) {
      const managedCluster = history.get(KIND.clusters, cluster);
      const isGoing = !managedCluster || managedCluster.metadata.deletionTimestamp !== undefined;
      if (!isGoing && !history.get(KIND.addOns, `${cluster}/${name}`))
        fail('installed', `${cluster} is selected and does not have ${name}`);
    }
  }
  for (const addOn of history.list(KIND.addOns).filter(({ metadata }) => metadata.name === name)) {
    const cluster = addOn.metadata.namespace ?? '';
    const own = members.find(({ clusters }) => clusters.includes(cluster));
    const isMarked = addOn.metadata.annotations?.[MARK] !== undefined;
    if (!own && isMarked && !isManual(declaration)) fail('removed', `${cluster} is not selected any more and has ${name}`);
    const message = judgeAddOn(history, declaration, addOn, own);
    if (message) fail('arrived', `${cluster}/${name}: ${message}`);
  }
  found.push(...judgeStored(history, name));
  return found;
}

/** Returns the first difference between the add-on and its declaration, entry and overrides; undefined if there is none. */
function judgeAddOn(history: ObjectHistory, declaration: Stored, addOn: Stored, own: Membership | undefined): string | undefined {
  const { name = '', namespace: cluster = '' } = addOn.metadata;
  // If its ManagedCluster does not exist, an add-on that a user created stays unchanged.
  if (!history.get(KIND.clusters, cluster)) return undefined;
  if (addOn.metadata.deletionTimestamp !== undefined) return 'it is still being deleted';
  const version = wantedVersion(declaration, addOn, own);
  const image = imageOfTemplate(history.get(KIND.templates, `${name}-${version}`) ?? { metadata: {} });
  const level = levelOfConfig(history.get(KIND.configs, wantedConfig(addOn, name)) ?? { metadata: {} });
  const work = history.get(KIND.works, `${cluster}/addon-${name}-deploy-0`);
  const content = work && contentOfWork(work);
  if (content?.image !== image || content.level !== level) {
    return `it has ${content ? `${content.image} at level ${content.level}` : 'nothing'} instead of ${image} at level ${level}`;
  }
  const { currentVersion } = statusOf<AddOnStatus>(addOn);
  if (currentVersion !== version) return `its currentVersion is ${currentVersion ?? 'absent'} instead of ${version}`;
  const progressing = conditionOf(addOn, 'Progressing');
  if (progressing?.reason !== 'Succeed') return `Progressing is ${progressing?.status ?? 'absent'} ${progressing?.reason ?? ''}`;
  if (conditionOf(addOn, 'Configured')?.status !== 'True') return 'Configured is not True';
  return judgeDependencies(history, addOn);
}

/** The template that the add-on must have according to its declaration, its entry and its overrides. */
function templateOf(history: ObjectHistory, addOn: Stored): Stored | undefined {
  const { name = '', namespace: cluster = '' } = addOn.metadata;
  const declaration = history.get(KIND.declarations, name);
  if (!declaration) return undefined;
  const own = membershipOf(history, declaration).find(({ clusters }) => clusters.includes(cluster));
  return history.get(KIND.templates, `${name}-${wantedVersion(declaration, addOn, own)}`);
}

/**
 * addons.md §4: returns the version from the first source that sets one: the override, the entry, the declaration. The settings of an entry
 * apply only to add-ons that the installer created.
 */
function wantedVersion(declaration: Stored, addOn: Stored, own: Membership | undefined): string {
  const isMarked = addOn.metadata.annotations?.[MARK] !== undefined;
  const { installVersion } = specOf<AddOnSpec>(addOn) ?? {};
  if (installVersion && (!isMarked || isUserOwned(addOn, 'f:installVersion'))) return installVersion;
  const fromEntry = isMarked ? own?.entry.addonTemplate?.installVersion : undefined;
  // Without an entry, the installer's last choice stays in the spec (for example after a change from Placements to Manual).
  const kept = isMarked && !own ? installVersion : undefined;
  return fromEntry ?? kept ?? defaultVersion(declaration);
}

function defaultVersion(declaration: Stored): string {
  const configs = specOf<DeclarationSpec>(declaration)?.supportedConfigs ?? [];
  const template = configs.find(({ resource }) => resource === 'addontemplates')?.defaultConfig?.name ?? '';
  return template.slice(template.lastIndexOf('-') + 1);
}

function wantedConfig(addOn: Stored, name: string): string {
  const own = specOf<AddOnSpec>(addOn)?.configs?.find(({ resource }) => resource === 'addondeploymentconfigs');
  return own ? `${own.namespace ?? ''}/${own.name}` : `default/${name}`;
}

/** addons.md §5: the content of every revision that the record or an add-on names must be stored. */
function judgeStored(history: ObjectHistory, name: string): readonly Violation[] {
  const { entries = [], history: revisions = [] } = statusOf<RecordStatus>(history.get(KIND.rollouts, name));
  const annotated = history
    .list(KIND.addOns)
    .flatMap(({ metadata }) => (metadata.name === name ? (metadata.annotations?.[REVISION_ANNOTATION] ?? []) : []));
  const named = new Set([
    ...annotated.map(Number),
    ...entries.flatMap(({ targetRevision, inFlight = [] }) => [targetRevision, ...inFlight.map(({ revision }) => revision)]),
  ]);
  const stored = new Set(history.list(KIND.contents).map(({ metadata }) => metadata.name ?? ''));
  const missing = revisions
    .filter(({ revision }) => named.has(revision))
    .flatMap(({ revision, configs = [] }) =>
      configs.filter(({ specHash }) => !stored.has(`outrigger-content-${specHash.slice(0, 40)}`)).map(() => revision),
    );
  return missing.length === 0
    ? []
    : [{ rule: 'content kept', message: `the content of revision ${missing[0] ?? 0} of ${name} is not stored` }];
}

/** No object may stay on a cluster that was detached without force, and no object of a deleted declaration may stay on the hub. */
function judgeLeftovers(history: ObjectHistory, { onClusters }: Evidence): readonly Violation[] {
  const found: Violation[] = [];
  const declared = new Set(history.list(KIND.declarations).map(({ metadata }) => metadata.name ?? ''));
  for (const addOn of history.list(KIND.addOns)) {
    const { name = '', namespace = '' } = addOn.metadata;
    const isOwned = ((addOn.metadata as { ownerReferences?: readonly unknown[] }).ownerReferences ?? []).length > 0;
    if (!declared.has(name) && isOwned)
      found.push({ rule: 'cascade', message: `${namespace}/${name} is left although its declaration is gone` });
  }
  for (const [cluster, works] of onClusters) {
    for (const work of works) {
      if (history.get(KIND.works, work)) continue;
      const isForced = history
        .versions(KIND.clusters, cluster)
        .some(({ object }) => object?.metadata.annotations?.['outrigger.dev/detach'] === 'forced');
      if (!isForced) found.push({ rule: 'nothing left on a cluster', message: `${cluster} still has the objects of ${work}` });
    }
  }
  return found;
}
