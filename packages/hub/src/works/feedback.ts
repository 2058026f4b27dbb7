import { type JsonObject, isJsonObject } from '@outrigger/core';
import { groupOf } from '../render/workloads.js';
import type { WorkloadFeedback } from '../resources/works.js';

/** A ManifestWork's selector of one manifest. */
export interface ResourceIdentifier {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

interface JsonPath {
  readonly name: string;
  readonly path: string;
}

/**
 * What is asked of each kind of workload beyond the agent's well-known values, which tell whether it is up but not whether the pods that
 * are up are the new ones. Names never repeat a well-known one: the API server would refuse the whole status.
 */
interface WorkloadKind {
  readonly resource: string;
  readonly hasWellKnownStatus: boolean;
  readonly paths: readonly JsonPath[];
  /** The rollout has reached every pod. Undefined values mean the agent does not report them: then it does not hold anything up. */
  isRolledOut(values: Values): boolean;
  /** Undefined where the values do not tell. */
  isHealthy(values: Values): boolean | undefined;
}

type Values = Readonly<Record<string, string | number | boolean>>;

const GENERATIONS: readonly JsonPath[] = [
  { name: 'Generation', path: '.metadata.generation' },
  { name: 'ObservedGeneration', path: '.status.observedGeneration' },
];

const KINDS: Readonly<Record<string, WorkloadKind>> = {
  'apps/Deployment': {
    resource: 'deployments',
    hasWellKnownStatus: true,
    paths: [
      ...GENERATIONS,
      { name: 'DesiredReplicas', path: '.spec.replicas' },
      { name: 'UpdatedReplicas', path: '.status.updatedReplicas' },
      { name: 'AvailableCondition', path: '.status.conditions[?(@.type=="Available")].status' },
      { name: 'ProgressingReason', path: '.status.conditions[?(@.type=="Progressing")].reason' },
    ],
    isRolledOut: (v) => isObserved(v) && reached(v, 'DesiredReplicas', ['UpdatedReplicas', 'AvailableReplicas', 'Replicas']),
    isHealthy: (v) => {
      if (v['AvailableCondition'] !== undefined) return v['AvailableCondition'] === 'True';
      if (v['DesiredReplicas'] === 0 || v['Replicas'] === 0) return true;
      return v['ReadyReplicas'] === undefined && v['Replicas'] === undefined ? undefined : Number(v['ReadyReplicas'] ?? 0) >= 1;
    },
  },
  'apps/DaemonSet': {
    resource: 'daemonsets',
    hasWellKnownStatus: true,
    paths: [...GENERATIONS, { name: 'UpdatedNumberScheduled', path: '.status.updatedNumberScheduled' }],
    isRolledOut: (v) => isObserved(v) && reached(v, 'DesiredNumberScheduled', ['UpdatedNumberScheduled', 'NumberAvailable']),
    isHealthy: (v) =>
      v['DesiredNumberScheduled'] === undefined ? undefined : Number(v['NumberReady'] ?? 0) === v['DesiredNumberScheduled'],
  },
  'apps/StatefulSet': {
    resource: 'statefulsets',
    hasWellKnownStatus: false,
    paths: [
      ...GENERATIONS,
      { name: 'DesiredReplicas', path: '.spec.replicas' },
      { name: 'UpdatedReplicas', path: '.status.updatedReplicas' },
      { name: 'AvailableReplicas', path: '.status.availableReplicas' },
      { name: 'ReadyReplicas', path: '.status.readyReplicas' },
    ],
    isRolledOut: (v) => isObserved(v) && reached(v, 'DesiredReplicas', ['UpdatedReplicas', 'AvailableReplicas']),
    isHealthy: (v) => {
      if (v['DesiredReplicas'] === undefined) return undefined;
      return v['DesiredReplicas'] === 0 || Number(v['ReadyReplicas'] ?? 0) >= 1;
    },
  },
};

/** `resource/namespace/name`. */
export function workloadKey({ resource, namespace, name }: Omit<ResourceIdentifier, 'group'>): string {
  return `${resource}/${namespace}/${name}`;
}

/** A workload of the manifests that health is read from. One scaled to zero is not probed: it has nothing to report. */
export interface Probe {
  readonly id: ResourceIdentifier;
  readonly kind: WorkloadKind;
}

export function probesOf(manifests: readonly JsonObject[]): readonly Probe[] {
  return manifests.flatMap((manifest) => {
    const kind = KINDS[`${groupOf(manifest)}/${String(manifest['kind'])}`];
    const spec = isJsonObject(manifest['spec']) ? manifest['spec'] : {};
    if (!kind || spec['replicas'] === 0) return [];
    const metadata = isJsonObject(manifest['metadata']) ? manifest['metadata'] : {};
    const id = {
      group: groupOf(manifest),
      resource: kind.resource,
      namespace: String(metadata['namespace'] ?? ''),
      name: String(metadata['name'] ?? ''),
    };
    return [{ id, kind }];
  });
}

/** The feedback rules that ask for what `isRolledOut` and `isHealthy` read. */
export function feedbackRules(probe: Probe): readonly JsonObject[] {
  const paths: JsonObject = { type: 'JSONPaths', jsonPaths: probe.kind.paths.map(({ name, path }) => ({ name, path })) };
  return probe.kind.hasWellKnownStatus ? [{ type: 'WellKnownStatus' }, paths] : [paths];
}

export interface WorkloadVerdict {
  readonly id: ResourceIdentifier;
  readonly isRolledOut: boolean;
  readonly isHealthy: boolean | undefined;
  readonly hasMissedDeadline: boolean;
}

/** Reads the feedback of workloads by kind; what reports nothing is neither unhealthy nor in the way of a rollout. */
export function verdictOf(feedback: WorkloadFeedback): WorkloadVerdict | undefined {
  const kind = Object.values(KINDS).find(({ resource }) => feedback.group === 'apps' && resource === feedback.resource);
  if (!kind) return undefined;
  const { values, ...id } = feedback;
  // Until the controller of the workload has seen the newest spec, its conditions speak of an earlier one.
  const hasMissedDeadline = isObserved(values) && values['ProgressingReason'] === 'ProgressDeadlineExceeded';
  return { id, isRolledOut: kind.isRolledOut(values), isHealthy: kind.isHealthy(values), hasMissedDeadline };
}

function isObserved(values: Values): boolean {
  const { Generation, ObservedGeneration } = values as { Generation?: number; ObservedGeneration?: number };
  return Generation === undefined || ObservedGeneration === undefined || ObservedGeneration >= Generation;
}

/** Every reported count equals the wanted one; an absent count is zero where the wanted one is reported, since the API omits zeros. */
function reached(values: Values, wanted: string, counts: readonly string[]): boolean {
  const target = values[wanted];
  if (target === undefined) return true;
  return counts.every((name) => Number(values[name] ?? 0) === target);
}
