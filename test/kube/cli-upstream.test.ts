import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  HUB_NAMESPACE,
  addOnRollouts,
  clusterManagementAddOns,
  clusterManagementAddOnsV1beta1,
  clusterRoleBindings,
  clusterRoles,
  deployments,
  managedClusterAddOnsV1beta1,
  namespaces,
  roleBindings,
  serviceAccounts,
} from '@outrigger/api';
import { kubeconfig } from '@outrigger/control-plane';
import { findCondition } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand, startCommand } from '../cli/world.js';
import { type RealKube, findKubectl, installKinds, startKube } from '../harness/index.js';
import { eventually } from '../world/eventually.js';
import { type FleetWorld } from '../integration/fleet/world.js';
import { otherDefinitions } from '../integration/install/beside-another.js';
import { clientOf } from './fleet-kube.js';
import { type ForgetfulWebhook, startForgetfulWebhook } from './forgetful-webhook.js';
import { inventoryOf } from './inventory.js';
import { UPSTREAM_BINDING, type UpstreamHub, registered, upstreamHub } from './upstream-hub.js';

const run = promisify(execFile);

/** Matches our bindings for the add-on's agents, whose names contain the cluster and the role. */
const OURS = /^open-cluster-management:old:c\d:agent:/;

/**
 * Returns an inventory without the uids of the bindings that have upstream's names, because these bindings are recreated when the hub is
 * handed back to upstream.
 */
function comparable(inventory: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(inventory).map(([key, content]) => {
      if (!key.endsWith(`/${UPSTREAM_BINDING}`)) return [key, content];
      const { metadata, ...rest } = content as { readonly metadata: object };
      return [key, { ...rest, metadata: { ...metadata, uid: '' } }];
    }),
  );
}

/** Follows docs/guides/real-hub.md, "From upstream and back", step by step. */
describe('from upstream and back, on a real hub', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  let kube: RealKube;
  let webhook: ForgetfulWebhook;
  let folder: string;
  let hub: Client;
  let upstream: UpstreamHub;
  let before: Readonly<Record<string, unknown>>;
  let works: readonly string[];
  const world = (): FleetWorld => ({
    hub,
    clock: runtime.clock,
    timers: runtime.timers,
  });
  const outrigger = (...args: readonly string[]): ReturnType<typeof runCommand> =>
    runCommand(args, runtime, { KUBECONFIG: kube.kubeconfigPath });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-upstream-'));
    [kube, webhook] = await Promise.all([startKube({ controllerManager: 'after kinds' }), startForgetfulWebhook()]);
    hub = await clientOf(kube.kubeconfigPath, runtime);
    await installKinds(kube, hub, (what, look) => eventually(runtime, what, look), otherDefinitions(webhook.clientConfig));
    await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: HUB_NAMESPACE } });
    for (const part of ['registration', 'placement']) await hub.create(deployments, deployment(`cluster-manager-${part}-controller`));
    await chartOfAnAddOn(hub);
    upstream = await upstreamHub(world(), ['c1', 'c2', 'c3'], { clusterRole: 'view', tokenClusters: ['c1'] });
    works = await upstream.works();
    before = await inventoryOf(hub);
  });
  afterAll(async () => {
    await kube.stop();
    await webhook.stop();
    runtime.scope.close();
    await rm(folder, { recursive: true });
  });

  it('1. doctor reports which of upstream’s controllers run', async () => {
    expect((await outrigger('doctor')).out).toContain('cluster-manager-addon-manager-controller');
  });

  it('2. installing beside upstream changes none of its objects, and our manager refuses to work on the same add-ons', async () => {
    expect(await outrigger('install', 'hub', '--image', 'example.com/outrigger:1', '--take-over', '--apply')).toMatchObject({ code: 0 });
    const now = await inventoryOf(hub);
    const changed = Object.keys(before).filter((key) => JSON.stringify(now[key]) !== JSON.stringify(before[key]));
    expect(changed.filter((key) => !key.startsWith('apiextensions.k8s.io/CustomResourceDefinition '))).toEqual([]);
    await hub.list(clusterManagementAddOnsV1beta1);
    await hub.list(managedClusterAddOnsV1beta1);
    const refused = await runCommand(['hub', '--metrics-port', '0'], runtime, { KUBECONFIG: await managerKubeconfig() });
    expect(refused.code).toBe(1);
    const [, scale] = /stop it with `([^`]+)`/.exec(refused.note) ?? [];
    // Run the printed command as a user would paste it.
    const kubectl = await findKubectl();
    await run('sh', ['-c', `kubectl() { command '${kubectl}' "$@"; }; ${scale}`], {
      env: { ...process.env, KUBECONFIG: kube.kubeconfigPath },
    });
    expect(
      (await hub.get(deployments, { namespace: HUB_NAMESPACE, name: 'cluster-manager-addon-manager-controller' })).spec?.replicas,
    ).toBe(0);
  });

  it('3. and 4. our manager takes over without rewriting one work, and leaves clusters and Placements to upstream', async () => {
    const controller = new AbortController();
    const args = ['hub', '--namespace', HUB_NAMESPACE, '--metrics-port', '0', '--log-level', 'error'];
    const manager = startCommand(args, runtime, { KUBECONFIG: await managerKubeconfig() }, controller.signal);
    await eventually(
      world(),
      'the manager has settled on every cluster',
      async () => ((await upstream.isManaged()) ? true : undefined),
      async () => ({ note: manager.written.note, addOns: await upstream.addOns() }),
    );
    expect(await upstream.works()).toEqual(works);
    // `install` gave our manager the permission to bind the role that upstream's manager had. Our manager has therefore bound the role
    // under its own name, and RegistrationApplied never changed.
    await eventually(
      world(),
      'our manager has bound the role on every cluster, and removed the bindings of upstream',
      async () =>
        (await bindings()).filter((one) => OURS.test(one)).length === 6 && !(await bindings()).includes(UPSTREAM_BINDING)
          ? true
          : undefined,
      async () => ({ bindings: await bindings(), addOns: await upstream.addOns() }),
    );
    for (const { status } of await upstream.addOns()) {
      expect(findCondition(status?.conditions, 'RegistrationApplied')).toMatchObject({
        status: 'True',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      });
    }
    // Upstream's programs can read and write v1beta1 while our manager runs.
    const seen = await hub.get(clusterManagementAddOnsV1beta1, { name: 'old' });
    await hub.replace(clusterManagementAddOnsV1beta1, seen);
    expect((await hub.get(clusterManagementAddOns, { name: 'old' })).spec.installStrategy?.type).toBe('Manual');
    controller.abort();
    expect(await manager.ended).toBe(0);
  });

  it('AT-60 uninstalling restores the inventory, and upstream works again', async () => {
    // By default our kinds, their objects, the stored revisions and our annotations stay, for a later installation.
    expect(await outrigger('uninstall', 'hub', '--apply')).toMatchObject({ code: 0 });
    expect((await hub.list(addOnRollouts)).items).toHaveLength(1);
    expect(await upstream.works()).toEqual(works);
    expect(await outrigger('uninstall', 'hub', '--delete-kinds', '--apply')).toMatchObject({ code: 0 });
    const key = { namespace: HUB_NAMESPACE, name: 'cluster-manager-addon-manager-controller' };
    await hub.patch(deployments, key, { type: 'merge', patch: { spec: { replicas: 1 } } });
    // The comparison leaves out only the uids of recreated bindings. The test polls, because the API server removes deleted kinds and
    // namespaces only after a moment.
    await expect.poll(async () => comparable(await inventoryOf(hub)), { timeout: 60_000, interval: 500 }).toEqual(comparable(before));
    const handedBack = await inventoryOf(hub);
    // Upstream's manager finds its bindings and has nothing to change.
    for (const clusterAddOn of await upstream.addOns()) await registered({ hub }, clusterAddOn, 'view');
    expect(await inventoryOf(hub)).toEqual(handedBack);
    // A repeated uninstall changes nothing, and deletes none of upstream's kinds.
    for (const flags of [['--apply'], ['--delete-kinds', '--apply']]) {
      expect(await outrigger('uninstall', 'hub', ...flags)).toMatchObject({ code: 0 });
      expect(await inventoryOf(hub)).toEqual(handedBack);
    }
    expect(await upstream.works()).toEqual(works);
    expect(await upstream.obstacles()).toEqual([]);
    await hub.list(clusterManagementAddOnsV1beta1);
  });

  const bindings = async (): Promise<readonly string[]> => (await hub.list(roleBindings)).items.map(({ metadata }) => metadata.name ?? '');

  async function managerKubeconfig(): Promise<string> {
    const account = `system:serviceaccount:${HUB_NAMESPACE}:outrigger-hub`;
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${HUB_NAMESPACE}`, 'system:authenticated'];
    const file = join(folder, 'manager');
    const user = { name: 'manager', token: kube.token(account, groups) };
    await writeFile(file, kubeconfig({ server: kube.url, authority: kube.caPem, user, name: 'hub' }));
    return file;
  }
});

function deployment(name: string): never {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'controller', image: 'example.com/controller' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: HUB_NAMESPACE }, spec } as never;
}

/** Creates the objects of an add-on's chart: the account of upstream's manager, with the permission to bind one role. */
async function chartOfAnAddOn(hub: Client): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  const account = { namespace: HUB_NAMESPACE, name: 'addon-manager-controller-sa' };
  await hub.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  const rules = [{ apiGroups: [rbac], resources: ['clusterroles'], resourceNames: ['view'], verbs: ['bind'] }];
  await hub.create(clusterRoles, { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'chart' }, rules });
  await hub.create(clusterRoleBindings, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'chart' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'chart' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
}
