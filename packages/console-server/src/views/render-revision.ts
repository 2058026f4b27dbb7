import {
  type AddOnDeploymentConfig,
  type AddOnRollout,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  EVERY_CLUSTER,
  type ManagedCluster,
  type ManagedClusterAddOn,
} from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { type ConfigLookup, isDeploymentConfig, isTemplate, liveConfigOf } from '@outrigger/rules/configuration';
import {
  type ContentRecord,
  type RolloutRecord,
  projectAddOn,
  projectCluster,
  projectDeclaration,
  projectDeploymentConfig,
  projectRollout,
  projectTemplate,
} from '@outrigger/rules/observed';
import { examine } from '@outrigger/rules/plan';
import { templateCompiler } from '@outrigger/rules/render';
import { hasTemplate } from '@outrigger/rules/revisions';
import { entriesOf, membershipOf, type StrategyLookups } from '@outrigger/rules/strategy';
import { knownTemplates, versionsOf } from '@outrigger/rules/versions';

/** One add-on on one cluster, and the objects from which its manifests are rendered. */
export interface RenderInput {
  readonly managementAddOn: ClusterManagementAddOn;
  readonly rollout: AddOnRollout;
  readonly clusterAddOn: ManagedClusterAddOn;
  readonly cluster: ManagedCluster;
  readonly lookups: StrategyLookups;
  readonly templates: readonly AddOnTemplate[];
  readonly configs: readonly AddOnDeploymentConfig[];
  /** By digest. */
  readonly contents: ReadonlyMap<string, ContentRecord>;
}

export type RenderedRevision =
  | { readonly type: 'rendered'; readonly manifests: readonly JsonObject[] }
  | { readonly type: 'problem'; readonly message: string };

const asIs = <T>(value: T): T => value;
const compile = templateCompiler();

/** Computes the manifests that the cluster would get at the revision, with the hub's rules, as if the rollout had admitted the cluster. */
export function renderRevision(input: RenderInput, revision: number): RenderedRevision {
  const { managementAddOn, rollout, lookups } = input;
  const record = projectRollout(rollout, asIs);
  const clusterAddOn = projectAddOn(input.clusterAddOn, asIs);
  const declared = projectDeclaration(managementAddOn, asIs);
  const templates = input.templates.map((template) => projectTemplate(template, asIs));
  const name = declared.key.name;
  const known = knownTemplates(
    {
      template: (wanted) => templates.find(({ key }) => key.name === wanted),
      templatesOf: (wanted) => templates.filter(({ addOnName }) => addOnName === wanted),
      choosingTemplate: () => [clusterAddOn],
    },
    name,
    declared.spec,
  );
  const { entry } = membershipOf(lookups, entriesOf(declared.spec), clusterAddOn.key.namespace ?? '', record.status);
  const { plan } = examine(
    {
      clusterAddOn,
      managementAddOn: declared,
      cluster: projectCluster(input.cluster, asIs),
      membership: { entry, isSettled: true, isUnselected: false },
      rollout: admittedTo(record, entry.name, revision),
      catalog: versionsOf(declared, known, hasTemplate(record.status)),
      configs: lookupIn(input, templates),
      works: [],
    },
    compile,
  );
  switch (plan.type) {
    case 'write':
      return { type: 'rendered', manifests: plan.works.flatMap(({ spec }) => (spec.workload?.manifests ?? []) as unknown as JsonObject[]) };
    case 'problem':
      return { type: 'problem', message: plan.message };
    case 'another manager':
      return { type: 'problem', message: 'another manager renders this add-on' };
    default:
      return { type: 'problem', message: `the content of revision ${revision} is not stored any more` };
  }
}

/** Returns a record in which a wildcard admission admits every cluster of the entry to the revision, and a pin keeps the entry there. */
function admittedTo(record: RolloutRecord, name: string, revision: number): RolloutRecord {
  const admitted = { name, targetRevision: revision, inFlight: [{ cluster: EVERY_CLUSTER, revision, admittedAt: '' }] };
  return { ...record, spec: { pinnedRevision: revision }, status: { ...record.status, entries: [admitted] } };
}

function lookupIn({ configs, contents }: RenderInput, templates: readonly ReturnType<typeof projectTemplate>[]): ConfigLookup {
  const records = configs.map((config) => projectDeploymentConfig(config, asIs));
  return {
    live(ref) {
      if (isTemplate(ref)) return liveConfigOf(templates.find(({ key }) => key.name === ref.name));
      if (!isDeploymentConfig(ref)) return 'NotServed';
      if (ref.namespace === '') return 'NoNamespace';
      return liveConfigOf(records.find(({ key }) => key.namespace === ref.namespace && key.name === ref.name));
    },
    stored: (specHash) => contents.get(specHash)?.content,
    kept: (specHash) => contents.get(specHash),
    lastKept: () => undefined,
    keptTemplate: () => undefined,
  };
}
