import {
  KIND_DEFINITIONS,
  addOnTemplates,
  clusterManagementAddOns,
  clusterRoles,
  customResourceDefinition,
  managedClusterAddOns,
  manifestWorks,
  roleBindings,
} from '@outrigger/api';
import type { JsonObject, KubeObject, LogFields, Logger } from '@outrigger/core';
import { expect } from 'vitest';
import { addCluster, conditionsOf, eventuallyIs, install, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/** This scenario uses a hub with upstream's own CRDs, so the API server drops all fields that Outrigger adds. */

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: string[];
  required?: string[];
  'x-kubernetes-validations'?: unknown;
}

/** The fields that Outrigger adds to upstream's kinds. `[]` means the items of a list. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  ClusterManagementAddOn: [
    'spec.dependencies',
    'spec.installStrategy.labelSelector',
    'spec.installStrategy.addonTemplate',
    'spec.installStrategy.configs',
    'spec.installStrategy.rolloutStrategy',
    'spec.installStrategy.placements[].addonTemplate',
    'status.supportedVersions',
    'status.defaultVersion',
    'status.conditions',
  ],
  ManagedClusterAddOn: ['spec.installVersion', 'status.currentVersion', 'status.lastVersion', 'status.installVersion'],
  AddOnTemplate: ['spec.registration[].kubeClient.hubPermissions[].roleRef'],
};

export function upstreamDefinitions(conversion: Parameters<typeof customResourceDefinition>[1] = 'none'): KubeObject[] {
  return KIND_DEFINITIONS.map((definition) => {
    const crd = JSON.parse(JSON.stringify(customResourceDefinition(definition, conversion))) as KubeObject & {
      spec: { versions: { schema: { openAPIV3Schema: Schema }; additionalPrinterColumns?: unknown }[] };
    };
    for (const version of crd.spec.versions) {
      const root = version.schema.openAPIV3Schema;
      // Outrigger's validation rules are removed too: upstream has none of them, and some of them refer to the removed fields.
      if (ADDED[definition.kind]) withoutRules(root);
      for (const path of ADDED[definition.kind] ?? []) removeField(root, path.split('.'));
      if (definition.kind !== 'ClusterManagementAddOn') continue;
      const type = root.properties?.['spec']?.properties?.['installStrategy']?.properties?.['type'];
      if (type) type.enum = ['Manual', 'Placements'];
      version.additionalPrinterColumns = [{ name: 'DISPLAY NAME', type: 'string', jsonPath: '.spec.addOnMeta.displayName' }];
    }
    return crd;
  });
}

/** Returns an object as a program with upstream's types reads it: without the fields that Outrigger adds. */
export function withoutAddedFields<T extends KubeObject>(object: T): T {
  const copy = JSON.parse(JSON.stringify(object)) as T;
  for (const path of ADDED[object.kind] ?? []) removeValue(copy, path.split('.'));
  return copy;
}

function removeValue(value: unknown, [head = '', ...rest]: readonly string[]): void {
  const name = head.replace(/\[\]$/, '');
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Record<string, unknown>;
  if (rest.length === 0) delete holder[name];
  else for (const child of Array.isArray(holder[name]) ? (holder[name] as unknown[]) : [holder[name]]) removeValue(child, rest);
}

function withoutRules(schema: Schema): void {
  delete schema['x-kubernetes-validations'];
  for (const child of [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])]) withoutRules(child);
}

function removeField(schema: Schema | undefined, [head = '', ...rest]: readonly string[]): void {
  const isList = head.endsWith('[]');
  const name = isList ? head.slice(0, -2) : head;
  if (rest.length > 0) removeField(isList ? schema?.properties?.[name]?.items : schema?.properties?.[name], rest);
  else delete schema?.properties?.[name];
}

export interface Warning {
  readonly fields: LogFields;
  readonly message: string;
}

/** Returns a logger that keeps warnings and errors. */
export function warningLog(warnings: Warning[]): Logger {
  const note = (fields: LogFields, message: string): void => {
    warnings.push({ fields, message });
  };
  const log: Logger = { debug: () => {}, info: () => {}, warn: note, error: note, child: () => log };
  return log;
}

/**
 * Returns the warnings about the hub's CRDs and the manager's writes. Warnings about ended watches are left out, because a busy API server
 * may end a watch at any time.
 */
function ownWarnings(warnings: readonly Warning[]): readonly Warning[] {
  return warnings.filter(({ message }) => message !== 'watching a kind failed; trying again');
}

/** The hub reports once which features are off. The other features work, including an edit, and a settled hub writes nothing. */
export async function worksOnUpstreamDefinitions(world: AddOnWorld, warnings: readonly Warning[]): Promise<void> {
  const { hub } = world;
  const aboutDefinitions = { fields: expect.anything() as object, message: expect.stringContaining('lack fields') as string };
  expect(ownWarnings(warnings)).toEqual([aboutDefinitions]);
  expect(ownWarnings(warnings)[0]?.fields['features']).toEqual([
    'dependencies',
    'install strategy ClusterLabelSelector',
    'settings of an install strategy for its add-ons',
    'versions',
    'conditions of declarations',
    'hub permissions in the short form',
  ]);
  await addCluster(world, 'up1');
  await hub.create(clusterRoles, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'upstream-reader' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
  });
  const hubPermissions = [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: 'upstream-reader' } }] as const;
  const template = templateOf('plain', { version: 'v1', registration: [{ type: 'KubeClient', kubeClient: { hubPermissions } }] });
  await hub.create(addOnTemplates, template);
  const supportedConfigs = [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: 'plain' } }];
  const declared = await hub.create(clusterManagementAddOns, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'plain' },
    spec: { supportedConfigs, dependencies: [{ name: 'nobody' }] },
  });
  expect(declared.spec, 'the server drops what it does not know').not.toHaveProperty('dependencies');
  await install(world, 'up1', 'plain');
  const clusterAddOn = await eventuallyIs(world, 'up1', 'plain', 'Available', 'True ProbeAvailable');
  expect(clusterAddOn.status).not.toHaveProperty('currentVersion');
  expect(conditionsOf(await eventuallyIs(world, 'up1', 'plain', 'Progressing', 'False Succeed'))).toEqual({
    Available: 'True ProbeAvailable',
    Configured: 'True ConfigurationsConfigured',
    ManifestApplied: 'True AddonManifestApplied',
    Progressing: 'False Succeed',
    RegistrationApplied: 'True SetPermissionApplied',
  });
  const bindings = await hub.list(roleBindings, { namespace: 'up1', labelSelector: 'open-cluster-management.io/addon-name=plain' });
  expect(bindings.items.map(({ roleRef }) => roleRef.name)).toEqual(['upstream-reader']);

  const { spec } = templateOf('plain', { image: 'example.com/agent:2' });
  await hub.patch(addOnTemplates, { name: 'plain' }, { type: 'merge', patch: { spec: spec as unknown as JsonObject } });
  await world.eventually('the edit has arrived', async () => {
    const work = await hub.get(manifestWorks, { namespace: 'up1', name: 'addon-plain-deploy-0' });
    expect(JSON.stringify(work.spec)).toContain('example.com/agent:2');
    const { status } = await hub.get(managedClusterAddOns, { namespace: 'up1', name: 'plain' });
    for (const { desiredConfig, lastAppliedConfig, lastObservedGeneration } of status?.configReferences ?? []) {
      expect([lastAppliedConfig, lastObservedGeneration]).toEqual([desiredConfig, 2]);
    }
    return true;
  });
  await eventuallyIs(world, 'up1', 'plain', 'Progressing', 'False Succeed');

  await world.idle();
  world.writes.length = 0;
  world.passes.length = 0;
  // An edit without effect makes the manager run a pass, which must find nothing to write.
  const touch = { metadata: { annotations: { touched: 'yes' } } };
  await hub.patch(managedClusterAddOns, { namespace: 'up1', name: 'plain' }, { type: 'merge', patch: touch });
  const renamed = { spec: { addOnMeta: { displayName: 'Plain' } } };
  await hub.patch(clusterManagementAddOns, { name: 'plain' }, { type: 'merge', patch: renamed });
  await world.eventually('the manager has looked', async () =>
    ['addon up1/plain', 'fleet plain'].every((pass) => world.passes.includes(pass)) ? true : undefined,
  );
  await world.idle();
  expect(world.writes).toEqual([]);
  expect(ownWarnings(warnings)).toEqual([aboutDefinitions]);
}
