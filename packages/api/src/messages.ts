/** The messages of conditions. Users read them and tests compare them. If agents also parse a message, its comment says so. */
import { compareText, shell } from '@outrigger/core';
import { IMAGE_REGISTRIES_ANNOTATION } from './constants.js';
import { cycleText } from './dependency-cycle.js';
import type { AddOnDependency } from './generated/addon.js';

export const AVAILABLE_MESSAGES = {
  workNotFound: 'Addon manifestWork is not found',
  workNotApplied: 'Addon manifestWork is not applied yet',
  workApplied: 'Addon manifestWork is applied',
  noProbeResult: 'Probe results are not returned',
  probeUnavailable: (error: string): string => `Probe addon unavailable with err ${error}`,
  notReady: (workloads: readonly string[]): string => workloads.map((workload) => `${workload} is not ready`).join(', '),
  /** The message if the probe succeeded or the lease was renewed. */
  available: (addOn: string): string => `${addOn} add-on is available.`,
  leaseStopped: (addOn: string): string => `${addOn} add-on is not available.`,
  leaseNotFound: (addOn: string): string => `The status of ${addOn} add-on is unknown.`,
} as const;

export const CONFIGURED_MESSAGES = {
  configured: 'Configurations configured',
  notConfigured: 'Configurations updated and not configured yet',
  notFound: (config: string): string => `Configuration ${config} is not found`,
  noNamespace: (config: string): string =>
    `Configuration ${config} is not found: its kind is namespaced, and the reference names no namespace`,
  failing: (config: string): string => `Configuration ${config} could not be read: the API server fails to return it`,
  /**
   * `unused` are references that have no effect, because an add-on is rendered from only one AddOnTemplate and one AddOnDeploymentConfig.
   */
  withUnused: (message: string, unused: readonly string[]): string =>
    `${message}; the first of a kind counts, not used: ${unused.join(', ')}`,
  /** Upstream's text, followed by the names of the unsupported configs. */
  unsupported: (groupResources: readonly string[], configs: readonly string[]): string =>
    `Configuration with gvr ${[...new Set(groupResources)].join(', ')} is not supported for this addon: ${configs.join(', ')}`,
  forbidden: (config: string): string =>
    `Configuration ${config} may not be read by the manager; aggregate the right into the ClusterRole outrigger:config-reader`,
} as const;

type Move = 'install' | 'upgrade' | 'rollback';

export const PROGRESSING_MESSAGES = {
  installing: (version: string): string => (version === '' ? 'Installing addon.' : `Installing addon version ${version}.`),
  upgrading: (version: string): string => `Upgrading addon to version ${version}.`,
  rollingBack: (version: string): string => `Rollingback addon to version ${version}.`,
  /** `configs` are names as `configName` returns them. If the list is empty, only content changed. */
  reconfiguring: (configs: readonly string[]): string =>
    configs.length === 0 ? 'Applying new content.' : `Applying configuration ${configs.join(', ')}.`,
  succeeded: 'install completed with no errors.',
  invalidVersion: (move: Move, version: string): string =>
    move === 'install' ? `could not install invalid version ${version}` : `could not ${move} to invalid version ${version}`,
  missing: (kind: string, name: string): string => `${kind} ${name} does not exist`,
  missingTemplate: (name: string): string => `template ${name} does not exist`,
  /** `place` is the field or kind that contains the reference. */
  missingConfig: (config: string, place: string): string =>
    `configuration ${config} does not exist; create it, or correct the reference in ${place}`,
  configWithoutNamespace: (config: string, place: string): string =>
    `configuration ${config} is of a namespaced kind; add a namespace to the reference in ${place}`,
  configNotServed: (config: string, kind: string): string =>
    `configuration ${config} cannot be read: the API server does not serve ${kind}; install its CustomResourceDefinition`,
  configFailing: (config: string): string =>
    `configuration ${config} cannot be read: the API server fails to return it; the log of the manager contains the error`,
  /** `reason` is what the agent reports about the pods, if anything. */
  deadlineExceeded: (workload: string, reason = ''): string =>
    `${workload} exceeded its progress deadline${reason === '' ? '' : `: ${reason}`}`,
  /** Lists the manifests that could not be applied, each with the message of the agent or API server that rejected it. */
  notApplied: (details: readonly { readonly what: string; readonly message: string }[]): string =>
    details.map(({ what, message }) => `${what}: ${message}`).join('; '),
  disagreement: (installVersion: string, template: string, templateVersion: string): string =>
    `installVersion ${installVersion} and template ${template} (version ${templateVersion}) disagree`,
} as const;

/** Returns the name of a config as conditions show it: `<resource>/[<namespace>/]<name>`. */
export function configName(config: { readonly resource: string; readonly namespace?: string; readonly name: string }): string {
  return [config.resource, ...(config.namespace ? [config.namespace] : []), config.name].join('/');
}

/** Messages about errors in a template or in the values that are filled in. */
export const RENDER_MESSAGES = {
  undefinedVariable: (variable: string, known: readonly string[]): string =>
    `variable ${variable} is not defined; defined are ${known.join(', ')}. Set it in the customizedVariables of an AddOnDeploymentConfig`,
  tooMuchText: (limit: number): string => `filling in the variables makes more than ${limit} characters of text`,
  tooLarge: (limit: number): string => `injecting it into every container makes more than ${limit} characters of manifests`,
  tooManyManifests: (count: number, limit: number): string =>
    `${count} manifests, at most ${limit} are supported: split the add-on or install a chart from one of them`,
  tooDeep: (limit: number): string => `nested more than ${limit} levels deep`,
  badRegistries: (cluster: string): string =>
    `the annotation ${IMAGE_REGISTRIES_ANNOTATION} of ManagedCluster ${cluster} is not {"registries":[{"source":"...","mirror":"..."}]}`,
  /** `namespace` is set if the manifests describe the same object only because both are moved to this namespace. */
  repeatedObject: (first: number, second: number, namespace?: string): string =>
    `spec.agentSpec.workload.manifests[${first}] and [${second}] ${namespace === undefined ? 'are' : `both move to namespace ${namespace}, where they are`} the same object: remove or rename one of them`,
  /** The message for an integer that is too large for JavaScript to represent exactly. */
  inexactInteger: 'is an integer beyond ±9007199254740991, which cannot be passed on exactly: use a smaller number, or a string',
  badCaBundle: 'is not base64',
  noManifest: 'a manifest is an object with apiVersion and kind',
  /** Lists the first few errors, each with its manifest and path. */
  problems: (
    template: string,
    shown: readonly { readonly manifest: string; readonly path: string; readonly message: string }[],
    hidden: number,
  ): string => {
    const lines = shown.map(({ manifest, path, message }) => `${manifest}${path === '' ? '' : ` at ${path}`}: ${message}`);
    return `${template}: ${lines.join('; ')}${hidden > 0 ? ` (and ${hidden} more)` : ''}`;
  },
} as const;

export const MANIFEST_APPLIED_MESSAGES = {
  applied: 'manifests of addon are applied successfully',
  nothingToApply: 'no manifest need to apply',
  /** `objects` lists the first rejected objects, each as `<kind> [<namespace>/]<name>: <why>`. */
  appliedFailed: (objects: readonly string[], total: number): string => `failed to apply the manifests of addon${firstOf(objects, total)}`,
  applyFailed: (error: string): string => `failed to apply manifestWork: ${error}`,
  renderFailed: (error: string): string => `failed to get manifest from agent interface: ${error}`,
} as const;

export const REGISTRATION_APPLIED_MESSAGES = {
  configured: 'Registration of the addon agent is configured',
  permissionFailed: (error: string): string => `Failed to set permission for hub agent: ${error}`,
  pending: 'registration subject not ready',
  requestRefused: (request: string, step: 'signed' | 'approved', error: string, remedy: string | undefined): string =>
    `certificate request ${request} could not be ${step}: ${error}${remedy === undefined ? '' : `; to allow it: ${remedy}`}`,
  /** The message if the API server rejected a binding. `grant` says how an administrator can allow the binding. */
  bindingRefused: (role: string, namespace: string, refusal: string, grant: string | undefined): string =>
    `${role} in ${namespace}: ${firstRules(refusal)}${grant === undefined ? '' : `. An administrator can allow it: ${grant}`}`,
} as const;

/**
 * Shortens the message with which the API server rejected a binding. The API server lists every rule of the role, one per line; the first
 * three rules are enough, because the condition also names the role.
 */
function firstRules(refusal: string): string {
  const [text = '', ...rules] = refusal.split('\n');
  const more = rules.length - SHOWN_RULES;
  return [text, ...rules.slice(0, SHOWN_RULES), ...(more > 0 ? [`and ${more} more`] : [])].join(' ');
}

const SHOWN_RULES = 3;

export const HOOK_MESSAGES = {
  completed: (work: string): string => `hook manifestWork ${work} is completed.`,
  notCompleted: (work: string): string => `hook manifestWork ${work} is not completed.`,
  tooLate: (work: string, minutes: number): string =>
    `what must run before the removal (work ${work}) did not complete within ${minutes} minutes`,
} as const;

/** Texts of Events about one add-on on one cluster. Other Events repeat the message of the condition that changed. */
export const ADDON_EVENT_MESSAGES = {
  arrived: (version: string): string => `version ${version}`,
  notGranted: (digest: string): string =>
    `the status names the template content ${digest.slice(0, 12)}, which the hub did not grant to this cluster; the hub restores the status, and the cluster keeps what it was granted`,
  removedAllTheSame: (reason: string): string => `removed all the same: ${reason}`,
} as const;

/** Agents parse the UID out of this text. */
export function tokenInfrastructureReadyMessage(namespace: string, serviceAccount: string, uid: string): string {
  return `ServiceAccount ${namespace}/${serviceAccount} (UID: ${uid}) is ready`;
}

/** Returns the UID of the ServiceAccount in a text from `tokenInfrastructureReadyMessage`. */
export function serviceAccountUidIn(message: string): string | undefined {
  return /UID: ([^)\s]+)\)/.exec(message)?.[1];
}

export const TARGETS_RESOLVED_MESSAGES = {
  allResolved: 'The clusters of every entry are known',
  placementNotFound: (placement: string): string => `Placement ${placement} is not found`,
  decisionsIncomplete: (placement: string): string => `The decisions of Placement ${placement} are not complete`,
  placementMisconfigured: (placement: string): string =>
    `Placement ${placement} is misconfigured (see its condition PlacementMisconfigured), so its clusters are not known`,
  contentNotStored: (namespace: string, error: string, isNamespaceMissing: boolean): string =>
    `the manager cannot store templates and configurations in its namespace ${namespace}, so nothing is rolled out: ${error}${isNamespaceMissing ? `; create it: ${shell`kubectl create namespace ${namespace}`}` : ''}`,
  defaultVersionGone: (versions: readonly string[]): string =>
    `no template offers the default version ${versions.join(', ')} any more; clusters stay on it. Create a template of that version, or name the template to use in supportedConfigs`,
  removalNeedsConfirmation: (count: number, of: number): string => `would remove ${count} of ${of} add-ons`,
} as const;

export const DEPENDENCIES_VALID_MESSAGES = {
  noCycle: 'The dependencies have no cycle',
  cycle: (cycle: readonly string[]): string => `Dependencies form a cycle: ${cycleText(cycle)}`,
} as const;

export interface RolloutCounters {
  readonly selected: number;
  readonly done: number;
  readonly progressing: number;
  readonly failed: number;
  readonly skipped: number;
}

export function progressionMessage({ selected, done, progressing, failed, skipped }: RolloutCounters): string {
  return `selected ${selected}, done ${done}, progressing ${progressing}, failed ${failed}, skipped ${skipped}`;
}

export const DEPENDENCIES_SATISFIED_MESSAGE = 'All dependencies are satisfied.';

export interface UnsatisfiedDependency extends Pick<AddOnDependency, 'name' | 'type' | 'message'> {
  /** The dependency cycle, with its first name repeated at the end. */
  readonly cycle?: readonly string[];
}

/**
 * Returns one sentence per unsatisfied dependency: required dependencies first, then by name. The author's message follows unchanged; a
 * full stop is added to it only if another sentence follows.
 */
export function dependencyMessage(unsatisfied: readonly UnsatisfiedDependency[]): string {
  const sentences = [...unsatisfied].sort(byNecessityThenName).map(dependencySentence);
  return sentences.map((text, index) => (index < sentences.length - 1 && !text.endsWith('.') ? `${text}.` : text)).join(' ');
}

/** Whether a message from `dependencyMessage` names an add-on. */
export function namesDependency(message: string, name: string): boolean {
  return message.includes(` addon '${name}' is `);
}

/** Whether a message from `dependencyMessage` names a dependency cycle. */
export function namesCycle(message: string): boolean {
  return message.includes(`' ${IN_CYCLE}: `);
}

const IN_CYCLE = 'is part of a dependency cycle';

function dependencySentence({ name, type, message, cycle }: UnsatisfiedDependency): string {
  const subject = `${isOptional({ type }) ? 'Optional' : 'Required'} addon '${name}'`;
  if (cycle) return `${subject} ${IN_CYCLE}: ${cycleText(cycle)}.`;
  const fact = `${subject} is not installed or not available`;
  return message ? `${fact}. ${message}` : fact;
}

function byNecessityThenName(a: UnsatisfiedDependency, b: UnsatisfiedDependency): number {
  return Number(isOptional(a)) - Number(isOptional(b)) || compareText(a.name, b.name);
}

function isOptional({ type }: { readonly type?: AddOnDependency['type'] }): boolean {
  return type === 'Optional';
}

/** The texts that the agent writes to works. They equal upstream's texts, including the trailing space. */
export const WORK_MESSAGES = {
  applied: 'Apply manifest work complete',
  /** `objects` lists the first rejected manifests, each as `<kind> [<namespace>/]<name>`. */
  applyFailed: (objects: readonly string[], total: number): string => `Failed to apply manifest work${firstOf(objects, total)}`,
  available: 'All resources are available',
  notAvailable: (count: number, of: number): string => `${count} of ${of} resources are not available`,
  unknown: (count: number, of: number): string => `${count} of ${of} resources have unknown status`,
  nothingAvailable: 'cannot get any available resource ',
  recordRefused: (error: string): string => `Failed to apply manifest work: the record of what it applies cannot be kept: ${error}`,
  deleting: 'ManifestWork is being deleted',
  releaseFailed: (problems: readonly string[]): string => `Failed to remove what the work no longer asks for: ${problems.join('; ')}`,
  aggregated: (count: number): string => `Aggregated from ${count} manifest conditions`,
} as const;

export const MANIFEST_MESSAGES = {
  applied: 'Apply manifest complete',
  applyFailed: (error: string): string => `Failed to apply manifest: ${error}`,
  ignoreFieldsFailed: (error: string): string => `Failed to process ignoreFields: ${error}`,
  available: 'Resource is available',
  notAvailable: 'Resource is not available',
  fetchFailed: (error: string): string => `Failed to fetch resource: ${error}`,
  incompleteMeta: 'Resource meta is incomplete',
  notServed: (kind: string): string => `the server doesn't have a resource type "${kind}"`,
  duplicate: (first: number, second: number): string => `manifests ${first} and ${second} are the same object; keep one of them`,
  /** `object` is `<group> <resource>, <namespace> <name>`, including empty parts. */
  notAllowed: (object: string): string => `not allowed to apply the resource ${object}, will try again in 1m0s`,
  escalation: (object: string): string =>
    `not allowed to apply the resource ${object}, error: permission escalation, will try again in 1m0s`,
  feedbackFailed: (error: string): string => `Sync status feedback failed with error ${error}`,
} as const;

export const CLUSTER_MESSAGES = {
  accepted: 'Accepted by hub cluster admin',
  denied: 'Denied by hub cluster admin',
  /** `holders` describes the objects whose finalizers delay the deletion. */
  namespaceDeleting: (name: string, holders: readonly string[]): string =>
    `the namespace ${name} is being deleted${holders.length === 0 ? '' : ` and waits for ${holders.join('; ')}`}; the hub accepts the cluster again when the namespace is gone`,
  joined: 'Managed cluster joined',
  kindsMissing: (kinds: readonly string[]): string => kinds.join('; '),
  available: 'Managed cluster is available',
  apiServerUnavailable: (code: number, detail: string): string => `The kube-apiserver is not ok, status code: ${code}, ${detail}`,
  leaseStopped: 'Registration agent stopped updating its lease.',
  certificateRotated: (from: string, to: string): string => `client certificate rotated starting from ${from} to ${to}`,
  clockSynced: 'The clock of the managed cluster is synced with the hub.',
  clockOutOfSync: 'The clock of hub and agent is out of sync. This may cause the Unknown status and affect agent functionalities.',
  nothingLeft: 'No resource is left on the hub',
  tooManyRequests: 'Stop creating csr since there are too many csr created already on hub',
} as const;

/** Texts of Events about a cluster and its works. */
export const CLUSTER_EVENT_MESSAGES = {
  unreachable: (cluster: string): string => `the agent of ${cluster} stopped renewing its Lease; changes wait until it is back`,
  reachable: (cluster: string): string => `the agent of ${cluster} is back`,
  /** `object` is `<kind> [<namespace>/]<name>`. */
  driftRepaired: (object: string, change: 'changed' | 'deleted'): string =>
    `${object} was ${change} on the cluster: the agent applies the manifest again`,
} as const;

export const NAMESPACE_MESSAGES = {
  applied: 'Namespace successfully applied and managed',
  applyFailed: (error: string): string => `Failed to apply namespace: ${error}`,
} as const;

export const PLACEMENT_MESSAGES = {
  wellConfigured: 'Placement configurations check pass',
  misconfigured: (plugin: string, problem: string): string => `${plugin}:${problem}`,
  unscheduled: (count: number): string => `${count} cluster decisions unscheduled`,
} as const;

/** Texts of PlacementSatisfied. They are the same as upstream's, because users and scripts rely on them. */
export const SATISFIED_MESSAGES = {
  noBindings: 'No valid ManagedClusterSetBindings found in placement namespace',
  noIntersection: (sets: readonly string[]): string => `None of ManagedClusterSets [${sets.join(',')}] is bound to placement namespace`,
  setsEmpty: (sets: readonly string[]): string => `All ManagedClusterSets [${sets.join(',')}] have no member ManagedCluster`,
  noneMatched: 'No ManagedCluster matches any of the cluster predicate',
  allScheduled: 'All cluster decisions scheduled',
} as const;

export const CLUSTER_SET_MESSAGES = {
  empty: 'No ManagedCluster selected',
  selected: (count: number): string => `${count} ManagedClusters selected`,
} as const;

/** Returns `: <a>; <b> and <n> more`; empty if the list is empty. */
function firstOf(objects: readonly string[], total: number): string {
  if (objects.length === 0) return '';
  const more = total - objects.length;
  return `: ${objects.join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
}
