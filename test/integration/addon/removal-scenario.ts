import {
  type AddOnTemplate,
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  controllerRevisions,
  managedClusterAddOns,
  manifestWorks,
} from '@outrigger/api';
import { type Kind, type KubeObject, isApiError } from '@outrigger/core';
import { expect } from 'vitest';
import { addCluster, eventuallyIs, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/** In this scenario, a user deletes the files of an add-on: template, config and declaration at once (`kubectl delete -f`). */

const GROUP = 'addon.open-cluster-management.io';
const CLUSTERS = ['bye1', 'bye2'];

interface Removal {
  readonly name: string;
  /** The order in which the objects are deleted. */
  readonly order: readonly ('template' | 'config' | 'declaration')[];
  readonly propagation: 'Background' | 'Foreground';
  /** Whether the manager is stopped during the deletion and starts only after the deleted objects are gone. */
  readonly isManagerDown: boolean;
  /** Whether the template has no Deployment, so that the add-on has only the works of its hooks. */
  readonly hasOnlyHooks?: boolean;
}

export const REMOVALS: readonly Removal[] = [
  { name: 'bye-a', order: ['template', 'config', 'declaration'], propagation: 'Background', isManagerDown: false },
  { name: 'bye-b', order: ['declaration', 'config', 'template'], propagation: 'Background', isManagerDown: true },
  { name: 'bye-c', order: ['declaration', 'template', 'config'], propagation: 'Foreground', isManagerDown: false },
  { name: 'bye-d', order: ['template', 'declaration', 'config'], propagation: 'Background', isManagerDown: true, hasOnlyHooks: true },
];

function template({ name, hasOnlyHooks }: Removal): AddOnTemplate {
  const { spec, ...rest } = templateOf(name);
  const metadata = { name: 'farewell', namespace: name, annotations: { [`${GROUP}/addon-pre-delete`]: '' } };
  const containers = [{ name: 'job', image: 'example.com/job:1', args: ['{{GREETING}}', '{{CLUSTER_NAME}}'] }];
  const hook = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template: { spec: { restartPolicy: 'Never', containers } } } };
  const deployed = hasOnlyHooks ? [] : (spec.agentSpec.workload?.manifests ?? []);
  return { ...rest, spec: { ...spec, agentSpec: { workload: { manifests: [...deployed, hook] } } } };
}

async function declare({ hub }: AddOnWorld, removal: Removal): Promise<void> {
  const { name } = removal;
  const apiVersion = `${GROUP}/v1alpha1`;
  await hub.create(addOnTemplates, template(removal));
  await hub.create(addOnDeploymentConfigs, {
    apiVersion,
    kind: 'AddOnDeploymentConfig',
    metadata: { name, namespace: 'default' },
    spec: { agentInstallNamespace: '', customizedVariables: [{ name: 'GREETING', value: 'goodbye' }] },
  });
  await hub.create(clusterManagementAddOns, {
    apiVersion,
    kind: 'ClusterManagementAddOn',
    metadata: { name },
    spec: {
      supportedConfigs: [
        { group: GROUP, resource: 'addontemplates', defaultConfig: { name } },
        { group: GROUP, resource: 'addondeploymentconfigs', defaultConfig: { name, namespace: 'default' } },
      ],
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { says: 'goodbye' } } },
    },
  });
}

async function remove({ hub }: AddOnWorld, { name, order, propagation }: Removal): Promise<void> {
  for (const what of order) {
    if (what === 'template') await hub.delete(addOnTemplates, { name });
    if (what === 'config') await hub.delete(addOnDeploymentConfigs, { namespace: 'default', name });
    if (what === 'declaration') await hub.delete(clusterManagementAddOns, { name }, { propagation });
  }
}

async function gone(world: AddOnWorld, kind: Kind<KubeObject>, key: { readonly namespace?: string; readonly name: string }): Promise<void> {
  await world.eventually(`${kind.kind} ${key.name} is gone`, async () => {
    try {
      await world.hub.get(kind, key);
      return undefined;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return true;
      throw error;
    }
  });
}

/** Returns the names of the stored contents that an add-on uses. */
async function contentsOf({ hub }: AddOnWorld, name: string): Promise<readonly string[]> {
  const { status } = await hub.get(addOnRollouts, { name });
  const hashes = new Set((status?.history ?? []).flatMap(({ configs = [] }) => configs.map(({ specHash }) => specHash.slice(0, 40))));
  const { items } = await hub.list(controllerRevisions, { namespace: 'default' });
  return items.map(({ metadata }) => metadata.name ?? '').filter((content) => [...hashes].some((hash) => content.endsWith(hash)));
}

/** The hook runs on each cluster as rendered for that cluster. Afterwards no object of the add-on remains. */
export async function hooksOutliveTheirTemplate(world: AddOnWorld, removal: Removal): Promise<void> {
  const { name } = removal;
  for (const cluster of CLUSTERS) await addCluster(world, cluster, { says: 'goodbye' });
  await declare(world, removal);
  for (const cluster of CLUSTERS) await eventuallyIs(world, cluster, name, 'Progressing', 'False Succeed');
  await world.quiet();
  const contents = await contentsOf(world, name);
  expect(contents).toHaveLength(2);

  world.writes.length = 0;
  const everythingGone = async (): Promise<void> => {
    for (const content of contents) await gone(world, controllerRevisions, { namespace: 'default', name: content });
    await gone(world, addOnRollouts, { name });
    await gone(world, clusterManagementAddOns, { name });
  };
  if (removal.isManagerDown)
    await world.restartManager(undefined, async () => {
      await remove(world, removal);
      await everythingGone();
    });
  else await remove(world, removal);
  for (const namespace of CLUSTERS) {
    await world.eventually(`the hook of ${name} on ${namespace} was written`, async () => {
      const isWritten = world.writes.includes(`POST manifestworks ${namespace}/addon-${name}-pre-delete`);
      return isWritten ? true : undefined;
    });
    await gone(world, managedClusterAddOns, { namespace, name });
    await gone(world, manifestWorks, { namespace, name: `addon-${name}-pre-delete` });
    await gone(world, manifestWorks, { namespace, name: `addon-${name}-deploy-0` });
  }
  await everythingGone();
}
