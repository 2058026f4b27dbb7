import {
  type AddOnDeploymentConfig,
  type AddOnRollout,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  type ManagedCluster,
  type ManagedClusterAddOn,
} from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { type ConfigLookup, isDeploymentConfig, isTemplate, liveConfigOf } from '@outrigger/rules/configuration';
import {
  type ContentProjection,
  type RolloutProjection,
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
import { membershipOf, type StrategyLookups } from '@outrigger/rules/strategy';
import { choiceProblem, knownTemplates, type TemplateChoice, versionsOf } from '@outrigger/rules/versions';
import { manifestsOf } from '@outrigger/rules/works';

/** One add-on on one cluster, and the objects from which its manifests are rendered. */
export interface RenderInput {
  readonly managementAddOn: ClusterManagementAddOn;
  readonly rollout: AddOnRollout;
  readonly clusterAddOn: ManagedClusterAddOn;
  readonly cluster: ManagedCluster;
  readonly lookups: StrategyLookups;
  readonly templates: readonly AddOnTemplate[];
  readonly configs: readonly AddOnDeploymentConfig[];
  /** The stored content, by digest. */
  readonly contents: ReadonlyMap<string, ContentProjection>;
}

export type RenderedRevision =
  | { readonly type: 'rendered'; readonly manifests: readonly JsonObject[] }
  | { readonly type: 'problem'; readonly message: string };

const asIs = <T>(value: T): T => value;
const compile = templateCompiler();

/** Computes the manifests that the cluster would get at the revision, with the hub's rules, as if the rollout had admitted the cluster. */
export function renderRevision(input: RenderInput, revision: number): RenderedRevision {
  const { managementAddOn, rollout, lookups } = input;
  const projection = projectRollout(rollout, asIs);
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
  const { entry } = membershipOf(lookups, declared.spec, clusterAddOn.key.namespace ?? '', projection.status);
  const { plan, overrides } = examine(
    {
      clusterAddOn,
      managementAddOn: declared,
      cluster: projectCluster(input.cluster, asIs),
      membership: { entry, isSettled: true, isUnselected: false },
      rollout: admittedTo(projection, { entry: entry.name, cluster: clusterAddOn.key.namespace ?? '', revision }),
      catalog: versionsOf(declared, known, hasTemplate(projection.status)),
      configs: lookupIn(input, templates),
      works: [],
    },
    compile,
  );
  switch (plan.type) {
    case 'write':
      return { type: 'rendered', manifests: manifestsOf(plan.works) };
    case 'problem':
      return { type: 'problem', message: plan.message };
    case 'another manager':
      return { type: 'problem', message: 'another manager renders this add-on' };
    case 'hold':
    case 'current':
      return { type: 'problem', message: holdReason(input.cluster, overrides.choice, revision) };
  }
}

/** The reason why the hub would write no works to the cluster at the revision. */
function holdReason({ metadata }: ManagedCluster, choice: TemplateChoice | undefined, revision: number): string {
  if (metadata.deletionTimestamp !== undefined) return `cluster ${metadata.name ?? ''} is being deleted, so it gets no other content`;
  return choiceProblem(choice) ?? `the content of revision ${revision} is not stored any more`;
}

/**
 * Returns a rollout that pins the entry to the revision and admits the cluster to it. The cluster is admitted by name, because the returned
 * entry lists no members: if gates apply to such an entry, a wildcard admission covers none of its clusters.
 */
function admittedTo(
  projection: RolloutProjection,
  { entry, cluster, revision }: { readonly entry: string; readonly cluster: string; readonly revision: number },
): RolloutProjection {
  const admitted = { name: entry, targetRevision: revision, inFlight: [{ cluster, revision, admittedAt: '' }] };
  return { ...projection, spec: { pinnedRevision: revision }, status: { ...projection.status, entries: [admitted] } };
}

function lookupIn({ configs, contents }: RenderInput, templates: readonly ReturnType<typeof projectTemplate>[]): ConfigLookup {
  const projections = configs.map((config) => projectDeploymentConfig(config, asIs));
  return {
    live(ref) {
      if (isTemplate(ref)) return liveConfigOf(templates.find(({ key }) => key.name === ref.name));
      if (!isDeploymentConfig(ref)) return 'NotServed';
      if (ref.namespace === '') return 'NoNamespace';
      return liveConfigOf(projections.find(({ key }) => key.namespace === ref.namespace && key.name === ref.name));
    },
    stored: (specHash) => contents.get(specHash)?.content,
    kept: (specHash) => contents.get(specHash),
    lastKept: () => undefined,
    keptTemplate: () => undefined,
  };
}
