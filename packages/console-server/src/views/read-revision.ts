import {
  type AddOnDeploymentConfig,
  type AddOnRollout,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  type ManagedClusterAddOn,
  type RolloutTarget,
  addOnDeploymentConfigs,
  addOnTemplates,
  controllerRevisions,
} from '@outrigger/api';
import { ifFound, collect } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type ConfigRef, isDeploymentConfig, toRef } from '@outrigger/rules/configuration';
import { type ContentProjection, projectContent } from '@outrigger/rules/observed';
import { contentName, targetRefs } from '@outrigger/rules/revisions';
import { defaultConfigs, entriesOf } from '@outrigger/rules/strategy';

/** The objects from which revisions are rendered. They are read with the user's own token. */
export interface RevisionSources {
  readonly templates: readonly AddOnTemplate[];
  readonly configs: readonly AddOnDeploymentConfig[];
  readonly contents: ReadonlyMap<string, ContentProjection>;
}

const asIs = <T>(value: T): T => value;

export async function readRevisions(
  client: Client,
  managementAddOn: ClusterManagementAddOn,
  { status }: AddOnRollout,
  clusterAddOn: ManagedClusterAddOn | undefined,
  revisions: readonly number[],
): Promise<RevisionSources> {
  const targets = (status?.history ?? []).filter(({ revision }) => revisions.includes(revision));
  const [templates, configs, contents] = await Promise.all([
    collect(client.listAll(addOnTemplates)),
    readConfigs(client, configRefs(managementAddOn, clusterAddOn)),
    readContents(client, targets),
  ]);
  const name = managementAddOn.metadata.name ?? '';
  return { templates: templates.filter(({ spec }) => spec.addonName === name), configs, contents };
}

/** The deployment configs that any layer of the add-on references. */
export function configRefs(managementAddOn: ClusterManagementAddOn, clusterAddOn?: ManagedClusterAddOn): readonly ConfigRef[] {
  const { spec } = managementAddOn;
  const own = (clusterAddOn?.spec.configs ?? []).map(toRef);
  return [...defaultConfigs(spec), ...entriesOf(spec).flatMap(({ configs }) => configs), ...own].filter(isDeploymentConfig);
}

export async function readConfigs(client: Client, refs: readonly ConfigRef[]): Promise<readonly AddOnDeploymentConfig[]> {
  const keys = new Map(refs.map(({ namespace, name }) => [`${namespace}/${name}`, { namespace, name }]));
  const found = await Promise.all([...keys.values()].map((key) => ifFound(client.get(addOnDeploymentConfigs, key))));
  return found.filter((config) => config !== undefined);
}

async function readContents(client: Client, targets: readonly RolloutTarget[]): Promise<ReadonlyMap<string, ContentProjection>> {
  const digests = new Set(targets.flatMap((target) => targetRefs(target).map(({ specHash }) => specHash)));
  const pages = await Promise.all(
    [...digests].map((digest) => collect(client.listAll(controllerRevisions, { fieldSelector: `metadata.name=${contentName(digest)}` }))),
  );
  return new Map(pages.flat().map((object) => [projectContent(object, asIs).specHash, projectContent(object, asIs)]));
}
