import {
  type AddOnRollout,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManifestWork,
  type RoleBinding,
  type RolloutTarget,
} from '@outrigger/api';
import type { Condition, JsonObject, KubeObject } from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import type { Action, CacheView, Decision, Resource } from '@outrigger/kube';
import { brief, nowAt, outcomesOf, viewOf } from '@outrigger/kube/testing';
import type { OtherConfigs } from '@outrigger/rules/configuration';
import { templateCompiler } from '@outrigger/rules/render';
import { addOns } from '../../resources/add-ons.js';
import { permissionBindings } from '../../resources/bindings.js';
import { clusters } from '../../resources/clusters.js';
import { storedContents } from '../../resources/stored-contents.js';
import { declarations } from '../../resources/declarations.js';
import { deploymentConfigs } from '../../resources/deployment-configs.js';
import { decisions, placements } from '../../resources/placements.js';
import { rollouts } from '../../resources/rollouts.js';
import { templates } from '../../resources/templates.js';
import { tokenAccounts, tokenBindings, tokenRoles } from '../../resources/token-objects.js';
import { works } from '../../resources/works.js';
import { requests } from '../registration/request.js';
import { decide } from './decide.js';
import { observe } from './observe.js';
import type { AddOnMemory } from './state.js';

/** Builders for table tests: the objects on the hub, and the result of one pass. */

/** 2026-01-01T00:00:00Z */
export const T0 = 1_767_225_600_000;
const GROUP = 'addon.open-cluster-management.io';
const API = `${GROUP}/v1alpha1`;

export interface Hub {
  readonly clusterAddOn: ManagedClusterAddOn | undefined;
  readonly others: readonly ManagedClusterAddOn[];
  readonly declarations: readonly ClusterManagementAddOn[];
  readonly cluster: ManagedCluster | undefined;
  readonly rollout: AddOnRollout | undefined;
  readonly templates: readonly AddOnTemplate[];
  readonly configs: readonly KubeObject[];
  readonly contents: readonly KubeObject[];
  readonly works: readonly ManifestWork[];
  readonly bindings: readonly RoleBinding[];
  readonly tokens: readonly KubeObject[];
  /** The certificate requests of add-ons on the hub. */
  readonly requests?: readonly KubeObject[];
  readonly otherConfigs: OtherConfigs;
}

export function template(manifests: readonly JsonObject[] = [deployment()], extra: Partial<AddOnTemplate['spec']> = {}): AddOnTemplate {
  return {
    apiVersion: API,
    kind: 'AddOnTemplate',
    metadata: { name: 'hello', generation: 1, labels: { 'open-cluster-management.io/addon-version': 'v1' } },
    spec: { addonName: 'hello', agentSpec: { workload: { manifests: manifests } }, ...extra },
  };
}

export function deployment(name: string = 'agent'): JsonObject {
  const container = { name: 'agent', image: 'example.com/agent:1' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'hello' },
    spec: { template: { spec: { containers: [container] } } },
  };
}

export function preDeleteJob(): JsonObject {
  const metadata = { name: 'bye', namespace: 'hello', annotations: { 'addon.open-cluster-management.io/addon-pre-delete': '' } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template: { spec: { containers: [{ name: 'bye', image: 'bye' }] } } } };
}

export function declaration(name: string, spec: ClusterManagementAddOn['spec'] = {}): ClusterManagementAddOn {
  return { apiVersion: API, kind: 'ClusterManagementAddOn', metadata: { name, uid: `uid-${name}`, generation: 1 }, spec };
}

export function addOn(
  name: string,
  parts: Partial<Pick<ManagedClusterAddOn, 'spec' | 'status'>> & { metadata?: object } = {},
): ManagedClusterAddOn {
  const owner = { apiVersion: API, kind: 'ClusterManagementAddOn', name, uid: `uid-${name}`, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: API,
    kind: 'ManagedClusterAddOn',
    metadata: { name, namespace: 'c1', generation: 1, ownerReferences: [owner], ...parts.metadata },
    spec: parts.spec ?? {},
    ...(parts.status ? { status: parts.status } : {}),
  };
}

export function condition(type: string, status: Condition['status'], reason: string, message = ''): Condition {
  return { type, status, reason, message, lastTransitionTime: '2025-12-31T00:00:00Z', observedGeneration: 1 };
}

/** A rollout that admits every cluster to the current content of these objects. */
export function admitted(configs: readonly { readonly resource: string; readonly object: KubeObject }[], version = 'v1'): AddOnRollout {
  const target: RolloutTarget = {
    revision: 1,
    version,
    digest: 'd',
    renderer: 1,
    configs: configs.map(({ resource, object }) => {
      const { name = '', namespace } = object.metadata;
      return { group: GROUP, resource, name, ...(namespace === undefined ? {} : { namespace }), specHash: specHash(object) };
    }),
    targetedAt: '2025-12-31T00:00:00Z',
  };
  return {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'AddOnRollout',
    metadata: { name: 'hello', generation: 1 },
    spec: {},
    status: {
      entries: [{ name: 'default', targetRevision: 1, inFlight: [{ cluster: '*', revision: 1, admittedAt: '2025-12-31T00:00:00Z' }] }],
      history: [target],
    },
  };
}

/** A hub on which the add-on hello, from one template, was just created for c1. */
export function freshHub(changes: Partial<Hub> = {}): Hub {
  const hello = changes.templates?.[0] ?? template();
  return {
    clusterAddOn: addOn('hello'),
    others: [],
    declarations: [
      declaration('hello', { supportedConfigs: [{ group: GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello' } }] }),
    ],
    cluster: {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name: 'c1' },
      spec: { hubAcceptsClient: true },
    },
    rollout: admitted([{ resource: 'addontemplates', object: hello }]),
    templates: [hello],
    configs: [],
    contents: [],
    works: [],
    bindings: [],
    tokens: [],
    otherConfigs: { get: () => 'Unread' },
    ...changes,
  };
}

/**
 * Returns the hub after its strategy was changed from Manual to ClusterLabelSelector. The installer created the add-on, and the record
 * still lists the cluster c1 as a member of the default entry.
 */
export function leavingDefault(hub: Hub): Hub {
  const { clusterAddOn = addOn('hello'), rollout } = hub;
  const fieldsV1 = { 'f:spec': { 'f:installVersion': {} } };
  const managedFields = [{ manager: 'outrigger-installer', operation: 'Apply' as const, fieldsV1 }];
  const annotations = { ...clusterAddOn.metadata.annotations, 'outrigger.dev/installed-spec': 'x' };
  const installStrategy = { type: 'ClusterLabelSelector', labelSelector: {} } as const;
  const entries = (rollout?.status?.entries ?? []).map((entry) => ({ ...entry, members: ['c1'] }));
  return {
    ...hub,
    clusterAddOn: { ...clusterAddOn, metadata: { ...clusterAddOn.metadata, annotations, managedFields }, spec: { installVersion: 'v1' } },
    declarations: hub.declarations.map((one) => ({ ...one, spec: { ...one.spec, installStrategy } })),
    rollout: rollout && { ...rollout, status: { ...rollout.status, entries } },
  };
}

export function viewOfHub(hub: Hub): CacheView {
  const token = (kind: string): KubeObject[] => hub.tokens.filter((object) => object.kind === kind);
  const kinds: (readonly [unknown, readonly KubeObject[]])[] = [
    [addOns, [...(hub.clusterAddOn ? [hub.clusterAddOn] : []), ...hub.others]],
    [declarations, hub.declarations],
    [clusters, hub.cluster ? [hub.cluster] : []],
    [rollouts, hub.rollout ? [hub.rollout] : []],
    [templates, hub.templates],
    [deploymentConfigs, hub.configs],
    [storedContents, hub.contents],
    [works, hub.works],
    [permissionBindings, hub.bindings],
    [tokenAccounts, token('ServiceAccount')],
    [tokenRoles, token('Role')],
    [tokenBindings, token('RoleBinding')],
    [placements, []],
    [decisions, []],
    [requests, hub.requests ?? []],
  ];
  return viewOf(...kinds.map(([resource, objects]) => [resource as Resource, objects] as const));
}

export interface PassOptions {
  readonly at?: number;
  readonly refusals?: readonly {
    readonly id: string;
    readonly reason: 'Forbidden' | 'Invalid' | 'AlreadyExists';
    readonly message: string;
  }[];
  /** Known problems of the add-on's certificate requests. */
  readonly requestProblems?: readonly string[];
  /** The in-memory state from the previous pass. */
  readonly remembered?: AddOnMemory | undefined;
  /** The time of the pass on the monotonic clock. The default is 0. */
  readonly monotonic?: number;
}

/** Runs one pass over the add-on hello on c1. */
export function pass(hub: Hub, { at = T0, refusals = [], requestProblems = [], remembered, monotonic = 0 }: PassOptions = {}): Decision {
  const options = { otherConfigs: hub.otherConfigs, contentNamespace: 'default', requestProblems: { of: () => requestProblems } };
  const state = observe(viewOfHub(hub), { namespace: 'c1', name: 'hello' }, { ...outcomesOf(refusals), remembered }, options);
  return state === undefined ? { stages: [] } : decide(state, nowAt(at, monotonic), templateCompiler());
}

/** Formats each action, such as `create ManifestWork c1/addon-hello-deploy-0`, and separates stages by `;`. */
export function briefly({ stages }: Decision): string[] {
  return stages.flatMap((stage, i) => [...(i > 0 ? [';'] : []), ...stage.map(brief)]);
}

export function statusOf({ stages }: Decision): NonNullable<ManagedClusterAddOn['status']> {
  const patch = stages.flat().find((action) => action.type === 'patch' && action.subresource === 'status');
  return ((patch as Extract<Action, { type: 'patch' }> | undefined)?.patch['status'] ?? {}) as NonNullable<ManagedClusterAddOn['status']>;
}

/** Formats a condition of the written status, such as `True Installing: Installing addon version v1.` */
export function conditionText(decision: Decision, type: string): string | undefined {
  const found = statusOf(decision).conditions?.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}: ${found.message}`;
}

/** Returns the hub after the writes of a pass: works, bindings and the add-on's own status. */
export function after(hub: Hub, decision: Decision): Hub {
  return decision.stages.flat().reduce(applied, hub);
}

function applied(hub: Hub, action: Action): Hub {
  if (action.type === 'create' && action.kind.kind === 'ManifestWork') {
    const work = action.object as ManifestWork;
    return { ...hub, works: [...hub.works, { ...work, metadata: { ...work.metadata, generation: 1 } }] };
  }
  if (action.type === 'create' && action.kind.kind === 'RoleBinding' && action.id.startsWith('binding/')) {
    return { ...hub, bindings: [...hub.bindings, action.object as RoleBinding] };
  }
  if (action.type === 'create' && action.kind.kind === 'ControllerRevision') return { ...hub, contents: [...hub.contents, action.object] };
  if (action.type === 'create') return { ...hub, tokens: [...hub.tokens, action.object] };
  if (action.type === 'patch' && action.subresource === 'status' && hub.clusterAddOn) {
    return { ...hub, clusterAddOn: { ...hub.clusterAddOn, status: { ...hub.clusterAddOn.status, ...(action.patch['status'] as object) } } };
  }
  if (action.type === 'patch' && action.id === 'metadata' && hub.clusterAddOn) {
    return {
      ...hub,
      clusterAddOn: { ...hub.clusterAddOn, metadata: { ...hub.clusterAddOn.metadata, ...(action.patch['metadata'] as object) } },
    };
  }
  if (action.type === 'patch' && action.kind.kind === 'ManifestWork') {
    const patch = action.patch as unknown as Pick<ManifestWork, 'metadata' | 'spec'>;
    const works = hub.works.map((work) =>
      work.metadata.name === action.key.name
        ? {
            ...work,
            metadata: { ...work.metadata, ...patch.metadata, generation: (work.metadata.generation ?? 0) + 1 },
            spec: Object.fromEntries(Object.entries(patch.spec).filter(([, value]) => value !== null)),
          }
        : work,
    );
    return { ...hub, works };
  }
  if (action.type === 'delete') {
    const isOther = (object: KubeObject): boolean => object.metadata.name !== action.key.name || object.kind !== action.kind.kind;
    return { ...hub, works: hub.works.filter(isOther), bindings: hub.bindings.filter(isOther), tokens: hub.tokens.filter(isOther) };
  }
  return hub;
}

/** Returns a work on which an agent has reported: applied, with these feedback values for its workload. */
export function reported(
  work: ManifestWork,
  values: Readonly<Record<string, number | string>> = UP,
  resource: { readonly group: string; readonly resource: string; readonly name: string } = {
    group: 'apps',
    resource: 'deployments',
    name: 'agent',
  },
): ManifestWork {
  const generation = work.metadata.generation ?? 0;
  const holds = (type: string): Condition => ({ ...condition(type, 'True', type), observedGeneration: generation });
  const feedback = Object.entries(values).map(([name, value]) => ({
    name,
    fieldValue: typeof value === 'number' ? { type: 'Integer', integer: value } : { type: 'String', string: value },
  }));
  const manifest = { resourceMeta: { ...resource, namespace: 'hello', ordinal: 0 }, statusFeedback: { values: feedback }, conditions: [] };
  const status = { conditions: [holds('Applied'), holds('Available')], resourceStatus: { manifests: [manifest] } };
  return { ...work, status: status as unknown as NonNullable<ManifestWork['status']> };
}

export const UP: Readonly<Record<string, number | string>> = {
  Generation: 1,
  ObservedGeneration: 1,
  DesiredReplicas: 1,
  Replicas: 1,
  UpdatedReplicas: 1,
  AvailableReplicas: 1,
  ReadyReplicas: 1,
  AvailableCondition: 'True',
};

/** A hub on which the add-on is installed, running and settled. */
export function settledHub(changes: Partial<Hub> = {}): Hub {
  let hub = freshHub(changes);
  for (let i = 0; i < 10; i++) {
    const decision = pass(hub);
    if (decision.stages.length === 0) return hub;
    const next = after(hub, decision);
    const isReported = ({ metadata, status }: ManifestWork): boolean =>
      status?.conditions?.every(({ observedGeneration }) => observedGeneration === metadata.generation) ?? false;
    hub = { ...next, works: next.works.map((work) => (isReported(work) ? work : reported(work))) };
  }
  throw new Error(`does not settle: ${briefly(pass(hub)).join(' ')}`);
}
