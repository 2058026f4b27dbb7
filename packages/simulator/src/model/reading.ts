import { timeOf } from './adapters/time.js';
import type { ObjectHistory, Stored } from './log.js';

/** The kinds that the model reads. */
export const KIND = {
  declarations: 'clustermanagementaddons',
  addOns: 'managedclusteraddons',
  rollouts: 'addonrollouts',
  works: 'manifestworks',
  clusters: 'managedclusters',
  placements: 'placements',
  decisions: 'placementdecisions',
  templates: 'addontemplates',
  configs: 'addondeploymentconfigs',
  contents: 'controllerrevisions',
  policies: 'rolloutpolicies',
  approvals: 'rolloutapprovals',
  bindings: 'rolebindings',
  requests: 'certificatesigningrequests',
  namespaces: 'namespaces',
} as const;

/** The installer's mark on the add-ons that it created. */
export const MARK = 'outrigger.dev/installed-spec';

export interface ConfigRef {
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly specHash: string;
}
export interface Revision {
  readonly revision: number;
  readonly version?: string;
  readonly digest: string;
  readonly configs?: readonly ConfigRef[];
}
export interface InFlight {
  readonly cluster: string;
  readonly revision: number;
  readonly admittedAt?: string;
  readonly parkedSince?: string;
  readonly except?: readonly string[];
}
/** A gate that holds clusters. */
export interface Wait {
  readonly name: string;
  /** The operation that the gate holds: `Remove` if it holds removals instead of admissions. */
  readonly operation?: string;
  readonly digest?: string;
  readonly clusters?: number;
  readonly loosened?: boolean;
  readonly until?: string;
}
export interface Rejected {
  readonly digest: string;
  readonly revision?: number;
  readonly gate?: string;
  readonly reason: string;
  readonly at: string;
}
export interface RecordedEntry {
  readonly name: string;
  readonly state?: string;
  readonly targetRevision?: number;
  readonly handMadeRevision?: number;
  readonly ownConfigsRevision?: number;
  readonly completedRevision?: number;
  readonly inFlight?: readonly InFlight[];
  readonly members?: readonly string[];
  readonly startedAt?: string;
  readonly timeline?: readonly {
    readonly to: number;
    readonly cause?: string;
    readonly pinned?: boolean;
    readonly outcome?: string;
  }[];
  readonly waitingFor?: readonly Wait[];
  readonly openedGates?: readonly {
    readonly name: string;
    readonly group?: string;
    readonly revision: number;
    readonly byTime?: boolean;
  }[];
  readonly analysis?: readonly {
    readonly name: string;
    readonly group?: string;
    readonly revision: number;
    readonly passed?: number;
    readonly failed?: number;
  }[];
  readonly rejected?: readonly Rejected[];
  readonly rolledBack?: { readonly from: number; readonly to: number; readonly at: string };
}
export interface RecordStatus {
  readonly formatVersion?: number;
  readonly entries?: readonly RecordedEntry[];
  readonly history?: readonly Revision[];
  /** The names of the policies that govern the add-on, according to the record. */
  readonly policies?: readonly string[];
}
export interface RolloutSpec {
  readonly paused?: boolean;
  readonly pinnedRevision?: number;
  readonly pinnedEntries?: readonly { readonly name: string; readonly revision?: number }[];
  readonly confirmRemoval?: number;
}
interface StrategyOptions {
  readonly maxConcurrency?: number | string;
  readonly maxFailures?: number | string;
  readonly minSuccessTime?: string;
  readonly progressDeadline?: string;
}
export interface RolloutStrategy {
  readonly type?: string;
  readonly all?: StrategyOptions;
  readonly progressive?: StrategyOptions;
  readonly progressivePerGroup?: StrategyOptions;
}
export interface StrategyEntry {
  readonly namespace?: string;
  readonly name?: string;
  readonly addonTemplate?: { readonly installVersion?: string };
  readonly rolloutStrategy?: RolloutStrategy;
}
export interface DeclarationSpec {
  readonly supportedConfigs?: readonly {
    readonly resource: string;
    readonly defaultConfig?: { readonly namespace?: string; readonly name: string };
  }[];
  readonly dependencies?: readonly { readonly name: string; readonly type?: string }[];
  readonly installStrategy?: StrategyEntry & {
    readonly type: string;
    readonly placements?: readonly StrategyEntry[];
    readonly labelSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
}
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}
export interface AddOnStatus {
  readonly conditions?: readonly Condition[];
  readonly lastVersion?: string;
  readonly installVersion?: string;
  readonly currentVersion?: string;
  readonly configReferences?: readonly {
    readonly resource: string;
    readonly desiredConfig?: { readonly name: string; readonly specHash: string };
    readonly lastAppliedConfig?: { readonly name: string; readonly specHash: string };
  }[];
}
export interface AddOnSpec {
  readonly installVersion?: string;
  readonly configs?: readonly { readonly resource: string; readonly namespace?: string; readonly name: string }[];
}

/** The fields of a RolloutPolicy's spec that simulated runs use. Policies select add-ons by name, and windows are single periods. */
export interface PolicySpec {
  readonly addOns: { readonly names?: readonly string[] };
  readonly windows?: readonly {
    readonly name: string;
    readonly effect: string;
    readonly from?: string;
    readonly until?: string;
    readonly for?: readonly string[];
  }[];
  readonly approvals?: readonly {
    readonly name: string;
    readonly before?: string;
    readonly after?: string;
    readonly required?: number;
    readonly wait?: string;
  }[];
  readonly analysis?: readonly { readonly name: string; readonly count: number; readonly failureLimit?: number; readonly mode?: string }[];
  readonly onFailure?: { readonly action?: string; readonly maxConcurrency?: number };
}

/** Returns the policies that govern an add-on, by name, after the first `count` log entries. */
export function governingPolicies(
  history: ObjectHistory,
  addOn: string,
  count: number | undefined,
): readonly { readonly name: string; readonly spec: PolicySpec }[] {
  return history
    .list(KIND.policies, count)
    .map((object) => ({ name: object.metadata.name ?? '', spec: object.spec as PolicySpec }))
    .filter(({ spec }) => spec.addOns.names?.includes(addOn))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A RolloutApproval. */
export interface Decided {
  readonly entry: string;
  readonly revision: number;
  readonly gate: string;
  readonly group?: string;
  readonly decision: string;
  readonly by: string;
  readonly expires?: string;
  readonly at: number;
}

/** Returns the decisions about an add-on after the first `count` log entries. */
export function decisionsOf(history: ObjectHistory, addOn: string, count: number | undefined): readonly Decided[] {
  return history.list(KIND.approvals, count).flatMap(({ metadata, spec }) => {
    const decided = spec as Omit<Decided, 'at'> & { readonly addOn: string };
    const { creationTimestamp = '' } = metadata as { readonly creationTimestamp?: string };
    return decided.addOn === addOn ? [{ ...decided, at: timeOf(creationTimestamp) }] : [];
  });
}

/** The revision that the hub has assigned to an add-on. */
export function revisionOf(addOn: Stored | undefined): number | undefined {
  const text = addOn?.metadata.annotations?.['outrigger.dev/revision'];
  return text === undefined ? undefined : Number(text);
}

export function specOf<T>(object: Stored | undefined): T | undefined {
  return object?.spec as T | undefined;
}

export function statusOf<T>(object: Stored | undefined): Partial<T> {
  return object?.status ?? {};
}

export function conditionOf(object: Stored | undefined, type: string): Condition | undefined {
  return statusOf<{ conditions: readonly Condition[] }>(object).conditions?.find((condition) => condition.type === type);
}

/** The clusters of each entry of a declaration. A cluster in several entries belongs to the last one. */
export interface Membership {
  readonly name: string;
  readonly entry: StrategyEntry;
  /** Clusters by decision group, in group order. */
  readonly groups: readonly (readonly string[])[];
  readonly clusters: readonly string[];
}

/** Returns the clusters of each entry of a declaration. `seen` is the number of log entries to use, by kind. */
export function membershipOf(
  history: ObjectHistory,
  declaration: Stored,
  seen: (kind: string) => number = () => Number.POSITIVE_INFINITY,
): readonly Membership[] {
  const strategy = specOf<DeclarationSpec>(declaration)?.installStrategy;
  if (strategy?.type === 'ClusterLabelSelector') {
    const clusters = selectedClusters(history, strategy.labelSelector?.matchLabels ?? {}, seen(KIND.clusters));
    return [{ name: 'labelSelector', entry: strategy, groups: [clusters], clusters }];
  }
  if (strategy?.type !== 'Placements') return [];
  const taken = new Set<string>();
  // While the pages of a Placement are rewritten, two of them may name the same cluster. The cluster counts once, in the first group that
  // names it.
  const take = (cluster: string): boolean => {
    const isFree = !taken.has(cluster);
    taken.add(cluster);
    return isFree;
  };
  const found: Membership[] = [];
  for (const entry of [...(strategy.placements ?? [])].reverse()) {
    const groups = decidedGroups(history, entry, seen(KIND.decisions)).map((group) => group.filter(take));
    const clusters = groups.flat();
    found.unshift({ name: `${entry.namespace ?? ''}/${entry.name ?? ''}`, entry, groups, clusters });
  }
  return found;
}

/** Whether users install the add-on on each cluster themselves. */
export function isManual(declaration: Stored): boolean {
  return (specOf<DeclarationSpec>(declaration)?.installStrategy?.type ?? 'Manual') === 'Manual';
}

/** The accepted clusters that have all the given labels. A cluster that is being deleted belongs to no entry, as with a Placement. */
export function selectedClusters(history: ObjectHistory, labels: Readonly<Record<string, string>>, count?: number): readonly string[] {
  return history
    .list(KIND.clusters, count)
    .filter(({ metadata, spec }) => {
      const isAccepted = (spec as { hubAcceptsClient?: boolean } | undefined)?.hubAcceptsClient === true;
      const isStaying = isAccepted && metadata.deletionTimestamp === undefined;
      return isStaying && Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value);
    })
    .map(({ metadata }) => metadata.name ?? '')
    .sort();
}

/** The clusters that a Placement selects, by decision group. */
export function decidedGroups(
  history: ObjectHistory,
  { namespace = '', name = '' }: StrategyEntry,
  count?: number,
): readonly (readonly string[])[] {
  const pages = history.list(KIND.decisions, count).filter(({ metadata }) => {
    return metadata.namespace === namespace && metadata.labels?.['cluster.open-cluster-management.io/placement'] === name;
  });
  const groups = new Map<number, string[]>();
  for (const page of pages) {
    const index = Number(page.metadata.labels?.['cluster.open-cluster-management.io/decision-group-index'] ?? 0);
    const names = (statusOf<{ decisions: readonly { clusterName: string }[] }>(page).decisions ?? []).map(({ clusterName }) => clusterName);
    groups.set(index, [...(groups.get(index) ?? []), ...names]);
  }
  return [...groups].sort(([a], [b]) => a - b).map(([, clusters]) => clusters);
}

export interface Limits {
  readonly type: 'All' | 'Progressive' | 'ProgressivePerGroup';
  readonly maxConcurrency: number | string | undefined;
  readonly maxFailures: number | string;
  readonly minSuccessMs: number;
  /** The deadline of a move in milliseconds; undefined if it has none. */
  readonly deadlineMs: number | undefined;
}

export function limitsOf(strategy: RolloutStrategy | undefined): Limits {
  const type = strategy?.type === 'Progressive' || strategy?.type === 'ProgressivePerGroup' ? strategy.type : 'All';
  const options = (type === 'Progressive' ? strategy?.progressive : strategy?.progressivePerGroup) ?? {};
  return {
    type,
    maxConcurrency: type === 'Progressive' ? options.maxConcurrency : undefined,
    maxFailures: options.maxFailures ?? 0,
    minSuccessMs: type === 'All' ? 0 : seconds(options.minSuccessTime) * 1000,
    deadlineMs: type === 'All' ? undefined : seconds(options.progressDeadline) * 1000 || undefined,
  };
}

function seconds(text: string | undefined): number {
  const match = /^(\d+)s$/.exec(text ?? '');
  return match ? Number(match[1]) : 0;
}

/** Returns the number for a count or a percentage of the total. Percentages are rounded up. */
export function amount(value: number | string, total: number): number {
  if (typeof value === 'number') return Math.min(value, total);
  const percent = /^(\d+)%$/.exec(value);
  return Math.min(percent ? Math.ceil((Number(percent[1]) * total) / 100) : Number(value), total);
}

/**
 * Whether the add-on reports that it is done with exactly the configs of the revision. Ignores kinds of configs that a user set on the
 * add-on.
 */
export function isDoneWith(addOn: Stored | undefined, revision: Revision | undefined): boolean {
  if (!addOn || !revision || !reports(addOn, revision, 'lastAppliedConfig')) return false;
  if (isJudgedByConfigs(addOn, revision)) return reports(addOn, revision, 'desiredConfig');
  return conditionOf(addOn, 'Progressing')?.reason === 'Succeed';
}

/** Whether the add-on reports that its move to the revision failed. */
export function hasFailedAt(addOn: Stored | undefined, revision: Revision | undefined): boolean {
  if (!addOn || !revision || conditionOf(addOn, 'Progressing')?.reason !== 'Failed') return false;
  return reports(addOn, revision, 'desiredConfig') && !(isJudgedByConfigs(addOn, revision) && isDoneWith(addOn, revision));
}

/**
 * Whether the condition Progressing may describe configs that a user overrides, and not the revision. In this case, the other configs show
 * whether the add-on is done. This requires a revision with a template, because without one there are no other configs to compare.
 */
function isJudgedByConfigs(addOn: Stored, revision: Revision): boolean {
  const own = overriddenResources(addOn);
  if (own.size === 0 || (statusOf<AddOnStatus>(addOn).configReferences ?? []).length === 0) return false;
  return own.has(TEMPLATES) || (revision.configs ?? []).some(({ resource }) => resource === TEMPLATES);
}

/** Whether the status of the add-on names the configs of the revision. */
export function reports(addOn: Stored, revision: Revision | undefined, field: 'desiredConfig' | 'lastAppliedConfig'): boolean {
  const references = statusOf<AddOnStatus>(addOn).configReferences ?? [];
  const own = overriddenResources(addOn);
  return (revision?.configs ?? []).every(({ resource, name, specHash }) => {
    if (own.has(resource)) return true;
    const reported = references.find((reference) => reference.resource === resource)?.[field];
    return reported?.name === name && reported.specHash === specHash;
  });
}

const TEMPLATES = 'addontemplates';

/** The resource types for which a user set configs on the add-on. */
function overriddenResources(addOn: Stored): ReadonlySet<string> {
  const { installVersion, configs = [] } = specOf<AddOnSpec>(addOn) ?? {};
  const isOwn = (field: string): boolean => addOn.metadata.annotations?.[MARK] === undefined || isUserOwned(addOn, field);
  return new Set([
    ...(isOwn('f:configs') ? configs.map(({ resource }) => resource) : []),
    ...(installVersion !== undefined && isOwn('f:installVersion') ? [TEMPLATES] : []),
  ]);
}

/** Whether a field manager other than the installer owns the field. */
export function isUserOwned(addOn: Stored | undefined, field: string): boolean {
  const { managedFields = [] } = (addOn?.metadata ?? {}) as {
    managedFields?: readonly { manager?: string; fieldsV1?: Readonly<Record<string, Readonly<Record<string, unknown>>>> }[];
  };
  return managedFields.some(({ manager, fieldsV1 }) => manager !== 'outrigger-installer' && fieldsV1?.['f:spec']?.[field] !== undefined);
}
