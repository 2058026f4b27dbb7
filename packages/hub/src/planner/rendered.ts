import {
  type AddOnRolloutStatus,
  INSTALLED_SPEC_ANNOTATION,
  INSTALLER_FIELD_MANAGER,
  type RolloutTarget,
  type TemplateRegistration,
  managedClusterAddOns,
} from '@outrigger/api';
import { type JsonObject, apiVersionOf } from '@outrigger/core';
import { type AddOnProjection, projectAddOn, type RolloutProjection } from '@outrigger/rules/observed';
import { type Examination, examine } from '@outrigger/rules/plan';
import { templateCompiler } from '@outrigger/rules/render';
import { installedSpec, isUserOwned, type StrategyEntry } from '@outrigger/rules/strategy';
import { manifestsOf } from '@outrigger/rules/works';
import type { FleetState } from '../controllers/fleet/state.js';

/** The content of an add-on on one cluster. */
export interface Rendered {
  readonly manifests: readonly JsonObject[];
  readonly registration: readonly TemplateRegistration[];
  /** The reason why there is no content, in the words of the add-on's status. */
  readonly problem: string | undefined;
  /** False if the planner cannot compute the content, because another manager renders the add-on or the stored content is missing. */
  readonly isKnown: boolean;
}

export const NOTHING_RENDERED: Rendered = { manifests: [], registration: [], problem: undefined, isKnown: true };
const UNKNOWN: Rendered = { ...NOTHING_RENDERED, isKnown: false };

const compile = templateCompiler();

/** The content that the cluster has now, according to the record. */
export function renderedBefore(state: FleetState, entry: StrategyEntry, clusterAddOn: AddOnProjection): Rendered {
  return renderedFor(state, entry, clusterAddOn, state.rollout);
}

/** The content that the cluster has after its admission to the target. */
export function renderedAfter(
  state: FleetState,
  entry: StrategyEntry,
  cluster: string,
  clusterAddOn: AddOnProjection | undefined,
  target: RolloutTarget,
  history: readonly RolloutTarget[],
): Rendered {
  const { revision } = target;
  const admitted = { name: entry.name, targetRevision: revision, inFlight: [{ cluster, revision, admittedAt: '' }] };
  const status: AddOnRolloutStatus = { history, entries: [admitted] };
  const rollout: RolloutProjection = {
    key: state.managementAddOn.key,
    uid: '',
    resourceVersion: '',
    generation: 1,
    createdAt: 0,
    owners: [],
    pinManagers: { pinnedRevision: undefined, pinnedEntries: undefined },
    ...state.rollout,
    spec: state.rollout?.spec ?? {},
    status,
  };
  return renderedFor(state, entry, clusterAddOn ? followed(clusterAddOn, entry) : installed(state, entry, cluster), rollout);
}

function renderedFor(
  state: FleetState,
  entry: StrategyEntry,
  clusterAddOn: AddOnProjection,
  rollout: RolloutProjection | undefined,
): Rendered {
  const { managementAddOn, catalog, configs } = state;
  const membership = { entry, isSettled: true, isUnselected: false };
  const cluster = state.cluster(clusterAddOn.key.namespace ?? '');
  return readExamination(examine({ clusterAddOn, managementAddOn, cluster, membership, rollout, catalog, configs, works: [] }, compile));
}

function readExamination({ plan, template, overrides }: Examination): Rendered {
  const { choice } = overrides;
  if (choice?.type === 'unsupported-version')
    return { ...NOTHING_RENDERED, problem: `no AddOnTemplate offers version ${choice.version}`, isKnown: false };
  if (choice?.type === 'conflict') return { ...NOTHING_RENDERED, problem: choice.message, isKnown: false };
  if (plan.type === 'problem') return { ...UNKNOWN, problem: plan.message };
  if (plan.type === 'another manager' || plan.type === 'hold' || template.type !== 'compiled') return UNKNOWN;
  const works = plan.type === 'write' ? plan.works : [];
  const manifests = manifestsOf(works);
  return { manifests, registration: template.spec.registration ?? [], problem: undefined, isKnown: true };
}

/** The add-on with its fields updated to follow the entry. */
function followed(clusterAddOn: AddOnProjection, { template }: StrategyEntry): AddOnProjection {
  if (clusterAddOn.installedSpec === undefined) return clusterAddOn;
  const follows = (field: 'installVersion' | 'configs'): boolean => !isUserOwned(clusterAddOn, field);
  return {
    ...clusterAddOn,
    spec: {
      ...clusterAddOn.spec,
      installVersion: follows('installVersion') ? template.installVersion : clusterAddOn.spec.installVersion,
      configs: follows('configs') ? template.configs : clusterAddOn.spec.configs,
    },
  };
}

/** The add-on as the installer would create it. */
function installed({ managementAddOn }: FleetState, { template }: StrategyEntry, cluster: string): AddOnProjection {
  const { installVersion, configs, installNamespace } = template;
  const spec = {
    ...(installVersion === undefined ? {} : { installVersion }),
    ...(configs ? { configs } : {}),
    ...(installNamespace === undefined ? {} : { installNamespace }),
  };
  const owned = Object.fromEntries(Object.keys(spec).map((field) => [`f:${field}`, {}]));
  return projectAddOn(
    {
      apiVersion: apiVersionOf(managedClusterAddOns),
      kind: managedClusterAddOns.kind,
      metadata: {
        name: managementAddOn.key.name,
        namespace: cluster,
        annotations: { [INSTALLED_SPEC_ANNOTATION]: installedSpec(template) },
        managedFields: [{ manager: INSTALLER_FIELD_MANAGER, operation: 'Apply', fieldsV1: { 'f:spec': owned } }],
      },
      spec,
    } as never,
    (value) => value,
  );
}
