import {
  type AddOnDeploymentConfig,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  EVERY_CLUSTER,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManifestWork,
} from '@outrigger/api';
import { type ConfigLookup, liveConfigOf } from '../configuration/lookup.js';
import { isDeploymentConfig, isTemplate } from '../configuration/references.js';
import { configuredCondition } from '../effective/configs.js';
import { projectCluster } from '../observed/clusters.js';
import { projectDeclaration } from '../observed/declarations.js';
import { projectDeploymentConfig } from '../observed/deployment-configs.js';
import type { RolloutProjection } from '../observed/rollouts.js';
import { type TemplateProjection, projectTemplate } from '../observed/templates.js';
import { type Examination, examine } from '../plan/examine.js';
import { templateCompiler } from '../render/compiled-templates.js';
import { NEWEST_RENDERER } from '../render/renderers.js';
import { TargetHistory } from '../revisions/target-history.js';
import { type EntryTargets, entryTargets } from '../rollout/targets/targets.js';
import type { StrategyEntry } from '../strategy/entry.js';
import { versionsOf } from '../versions/catalog.js';
import { choiceProblem } from '../versions/choose.js';
import { knownTemplates } from '../versions/known-templates.js';
import { previewedAddOn } from './add-on.js';
import { isRendered } from './entry.js';

/** The objects that determine the content of one add-on on one cluster, in the form in which an API server stores them. */
export interface PreviewInput {
  readonly managementAddOn: ClusterManagementAddOn;
  readonly templates: readonly AddOnTemplate[];
  readonly configs: readonly AddOnDeploymentConfig[];
  readonly cluster: ManagedCluster;
  /** The add-on with its overrides on this cluster; undefined if there are no overrides. */
  readonly clusterAddOn: ManagedClusterAddOn | undefined;
  /** From `previewEntry`. */
  readonly entry: StrategyEntry;
}

export type Preview =
  | { readonly type: 'rendered'; readonly works: readonly ManifestWork[]; readonly version: string }
  /** The add-on has a problem; the message is the one that its conditions would report. */
  | { readonly type: 'problem'; readonly message: string }
  /** The declaration has no template, so another manager renders the add-on. */
  | { readonly type: 'another manager' };

/** Computes, with the rules of a hub, the works that the cluster would get after the rollout has admitted it. */
export function preview(input: PreviewInput): Preview {
  const { entry } = input;
  const { spec } = input.managementAddOn;
  const supportedConfigs = (spec.supportedConfigs ?? []).filter(isRendered);
  const managementAddOn = projectDeclaration(
    { ...input.managementAddOn, spec: { ...spec, supportedConfigs } } as ClusterManagementAddOn,
    asIs,
  );
  const clusterAddOn = previewedAddOn(input);
  const templates = input.templates.map((template) => projectTemplate(template, asIs));
  const lookups = {
    template: (name: string) => templates.find(({ key }) => key.name === name),
    templatesOf: (name: string) => templates.filter(({ addOnName }) => addOnName === name),
    choosingTemplate: () => [clusterAddOn],
  };
  const catalog = versionsOf(
    { ...managementAddOn, status: {} },
    knownTemplates(lookups, managementAddOn.key.name, managementAddOn.spec),
    false,
  );
  const configs = givenConfigs(input, templates);
  const history = new TargetHistory([]);
  const state = { managementAddOn, rollout: undefined, catalog, addOns: [clusterAddOn], configs, renderer: NEWEST_RENDERER };
  const rollout = admitting(entry.name, entryTargets(state, entry, history, undefined, ''), history);
  const examination = examine(
    {
      clusterAddOn,
      managementAddOn,
      cluster: projectCluster(input.cluster, asIs),
      membership: { entry, isSettled: true, isUnselected: false },
      rollout,
      catalog,
      configs,
      works: [],
    },
    templateCompiler(),
  );
  const { plan, version } = examination;
  const message = problemOf(examination);
  if (message !== undefined) return { type: 'problem', message };
  if (plan.type === 'another manager' || plan.type === 'hold') return { type: 'another manager' };
  return { type: 'rendered', works: plan.type === 'write' ? plan.works : [], version };
}

/** A rollout in which every cluster is admitted to the targets of the entry. */
function admitting(name: string, { target, handMade, ownConfigs }: EntryTargets, history: TargetHistory): RolloutProjection {
  const entry = {
    name,
    ...(target
      ? { targetRevision: target.revision, inFlight: [{ cluster: EVERY_CLUSTER, revision: target.revision, admittedAt: '' }] }
      : {}),
    ...(handMade ? { handMadeRevision: handMade.revision } : {}),
    ...(ownConfigs ? { ownConfigsRevision: ownConfigs.revision } : {}),
  };
  return {
    key: { name },
    uid: '',
    resourceVersion: '',
    generation: 1,
    createdAt: 0,
    owners: [],
    spec: {},
    pinManagers: { pinnedRevision: undefined, pinnedEntries: undefined },
    status: { history: history.targets, entries: [entry] },
  };
}

/** Looks up configs among the given objects. A preview has no stored content. */
function givenConfigs(input: PreviewInput, templates: readonly TemplateProjection[]): ConfigLookup {
  const projections = input.configs.map((config) => projectDeploymentConfig(config, asIs));
  return {
    live(ref) {
      if (isTemplate(ref)) return liveConfigOf(templates.find(({ key }) => key.name === ref.name));
      if (!isDeploymentConfig(ref)) return 'NotServed';
      if (ref.namespace === '') return 'NoNamespace';
      return liveConfigOf(projections.find(({ key }) => key.namespace === ref.namespace && key.name === ref.name));
    },
    stored: () => undefined,
    kept: () => undefined,
    lastKept: () => undefined,
    keptTemplate: () => undefined,
  };
}

/** Returns the problem that the Configured condition would report, otherwise the problem that Progressing would report. */
function problemOf({ effective, target, overrides: { choice }, plan }: Examination): string | undefined {
  const configured = configuredCondition(effective, target.isWaiting);
  if (configured.status === 'False' && configured.reason !== 'ConfigurationsNotConfigured')
    return `${configured.reason}: ${configured.message}`;
  return choiceProblem(choice) ?? (plan.type === 'problem' ? plan.message : undefined);
}

function asIs<T>(value: T): T {
  return value;
}
