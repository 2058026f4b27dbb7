import { readFileSync, readdirSync } from 'node:fs';
import {
  type AddOnDeploymentConfigSpec,
  IMAGE_REGISTRIES_ANNOTATION,
  type TemplateRegistration,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@outrigger/api';
import { type Json, type JsonObject, isApiError } from '@outrigger/core';
import { parseYamlDocument } from '@outrigger/core/yaml';
import { expect } from 'vitest';
import { addCluster, install } from './objects.js';
import type { AddOnWorld } from './world.js';

/**
 * This scenario runs the renderer's golden files through the API: a template, a deployment config and a cluster for each file. The
 * manager's work contains the expected output, or the add-on reports the expected errors.
 */

interface Input {
  readonly cluster?: string;
  readonly installNamespace?: string;
  readonly settings?: AddOnDeploymentConfigSpec;
  readonly clusterRegistries?: readonly Json[];
  readonly registration?: readonly TemplateRegistration[];
  readonly manifests: readonly JsonObject[];
}

interface Output {
  readonly manifests?: readonly Json[];
  readonly problems?: readonly { readonly message: string }[];
}

const FOLDER = new URL('../../../packages/rules/src/render/golden/', import.meta.url);
const ADD_ON = 'hello';
const INPUT = '.input.yaml';

/** The names of the golden files. */
export const GOLDEN: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(INPUT))
  .map((file) => file.slice(0, -INPUT.length));

const load = (file: string): unknown => parseYamlDocument(readFileSync(new URL(file, FOLDER), 'utf8'));

/** Replaces a substring in all keys and strings of a value. */
function replaced<T>(value: T, from: string, to: string): T {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return one.replaceAll(from, to);
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key.replaceAll(from, to), walk(inner)]));
  };
  return walk(value) as T;
}

/** Renders every golden file, each on a separate cluster. */
export async function rendersGoldenFiles(world: AddOnWorld): Promise<void> {
  await world.hub.create(clusterManagementAddOns, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: ADD_ON },
    spec: {
      supportedConfigs: ['addontemplates', 'addondeploymentconfigs'].map((resource) => ({
        group: 'addon.open-cluster-management.io',
        resource,
      })),
    },
  });
  expect(GOLDEN.length).toBeGreaterThan(20);
  await Promise.all(GOLDEN.map((name) => rendersGoldenFile(world, name)));
}

async function rendersGoldenFile(world: AddOnWorld, name: string): Promise<void> {
  const { hub } = world;
  const cluster = `golden-${name}`;
  const written = load(`${name}${INPUT}`) as Input;
  const inCluster = written.cluster ?? 'cluster1';
  const input = replaced(written, inCluster, cluster);
  const want = replaced(load(`${name}.output.yaml`) as Output, inCluster, cluster);
  const apiVersion = 'addon.open-cluster-management.io/v1alpha1';
  const group = 'addon.open-cluster-management.io';

  await addCluster(world, cluster);
  if (input.clusterRegistries) {
    const annotations = { [IMAGE_REGISTRIES_ANNOTATION]: JSON.stringify({ registries: input.clusterRegistries }) };
    await hub.patch(managedClusters, { name: cluster }, { type: 'merge', patch: { metadata: { annotations } } });
  }
  await hub.create(addOnTemplates, {
    apiVersion,
    kind: 'AddOnTemplate',
    metadata: { name: cluster },
    spec: {
      addonName: ADD_ON,
      agentSpec: { workload: { manifests: input.manifests } },
      ...(input.registration ? { registration: input.registration } : {}),
    },
  });
  // An empty agentInstallNamespace means the namespace that the author chose. If the field were absent, the schema's default would apply.
  const spec = { agentInstallNamespace: '', ...input.settings };
  if (input.settings) {
    await hub.create(addOnDeploymentConfigs, {
      apiVersion,
      kind: 'AddOnDeploymentConfig',
      metadata: { name: 'golden', namespace: cluster },
      spec,
    });
  }
  await install(world, cluster, ADD_ON, {
    ...(input.installNamespace === undefined ? {} : { installNamespace: input.installNamespace }),
    configs: [
      { group, resource: 'addontemplates', name: cluster },
      ...(input.settings ? [{ group, resource: 'addondeploymentconfigs', namespace: cluster, name: 'golden' }] : []),
    ],
  });
  await world.eventually(`${name} is rendered as its golden file`, async () => {
    expect({ [name]: await outcome(world, cluster, want) }).toEqual({
      [name]: want.problems?.map(({ message }) => message) ?? want.manifests,
    });
    return true;
  });
}

/** Returns the manifests in the add-on's work or, if errors are expected, those that the add-on reports. */
async function outcome({ hub }: AddOnWorld, namespace: string, { problems }: Output): Promise<unknown> {
  if (problems) {
    const { status } = await hub.get(managedClusterAddOns, { namespace, name: ADD_ON });
    const messages = (status?.conditions ?? []).map(({ message }) => message).join('\n');
    return problems.map(({ message }) => message).filter((message) => messages.includes(message));
  }
  try {
    const { spec } = await hub.get(manifestWorks, { namespace, name: `addon-${ADD_ON}-deploy-0` });
    return spec.workload?.manifests;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
