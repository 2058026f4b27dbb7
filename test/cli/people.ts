import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterRoleBindings, managedClusters, roleBindings, subjectAccessReviews } from '@outrigger/api';
import type { KubeObject, Runtime } from '@outrigger/core';
import { parseYaml, toYaml } from '@outrigger/core/yaml';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';
import { type Ran, runCommand } from './world.js';

/** A hub with the samples on cluster1, and the kubeconfig of its administrator. */
export interface PeopleWorld {
  readonly runtime: Runtime;
  readonly hub: Client;
  readonly adminKubeconfig: string;
  eventually(what: string, look: () => Promise<true | undefined>): Promise<unknown>;
}

const RBAC = 'rbac.authorization.k8s.io';
const GUIDE = new URL('../../docs/guides/cluster-owner.md', import.meta.url);

/** The permissions that each role has and lacks, as `verb group/resource`. */
const RIGHTS: Readonly<Record<string, { readonly may: readonly string[]; readonly mayNot: readonly string[] }>> = {
  'outrigger:viewer': {
    may: [
      'list addon.open-cluster-management.io/addontemplates',
      'watch outrigger.dev/addonrollouts',
      'list outrigger.dev/rolloutpolicies',
      'list outrigger.dev/rolloutapprovals',
      'get apps/controllerrevisions',
      'list apps/controllerrevisions',
      'get /events',
    ],
    mayNot: [
      'watch apps/controllerrevisions',
      'create apps/controllerrevisions',
      'patch apps/controllerrevisions',
      'delete apps/controllerrevisions',
      'list apps/deployments',
      'approve outrigger.dev/rolloutpolicies',
      'create outrigger.dev/rolloutapprovals',
      'patch outrigger.dev/addonrollouts',
      'get work.open-cluster-management.io/manifestworks',
      'get /secrets',
      'create addon.open-cluster-management.io/managedclusteraddons',
    ],
  },
  'outrigger:fleet-admin': {
    may: [
      'patch outrigger.dev/addonrollouts',
      'patch outrigger.dev/rolloutpolicies',
      'approve outrigger.dev/rolloutpolicies',
      'override outrigger.dev/rolloutpolicies',
      'create outrigger.dev/rolloutapprovals',
      'patch addon.open-cluster-management.io/clustermanagementaddons',
      'create cluster.open-cluster-management.io/placements',
      'list work.open-cluster-management.io/manifestworks',
      'list addon.open-cluster-management.io/addontemplates',
      'list apps/controllerrevisions',
    ],
    mayNot: [
      'patch apps/controllerrevisions',
      'delete apps/controllerrevisions',
      'create addon.open-cluster-management.io/addontemplates',
      'create work.open-cluster-management.io/manifestworks',
      'create work.open-cluster-management.io/manifestworkreplicasets',
      'create cluster.open-cluster-management.io/managedclusters',
      'create /serviceaccounts/token',
      'update register.open-cluster-management.io/managedclusters/accept',
    ],
  },
  'outrigger:addon-author': {
    may: [
      'create addon.open-cluster-management.io/addontemplates',
      'update addon.open-cluster-management.io/clustermanagementaddons',
      'list apps/controllerrevisions',
    ],
    mayNot: [
      'patch apps/controllerrevisions',
      'patch outrigger.dev/addonrollouts',
      'override outrigger.dev/rolloutpolicies',
      'create addon.open-cluster-management.io/managedclusteraddons',
    ],
  },
  'outrigger:rollout-approver': {
    may: [
      'approve outrigger.dev/rolloutpolicies',
      'create outrigger.dev/rolloutapprovals',
      'list outrigger.dev/addonrollouts',
      'list apps/controllerrevisions',
    ],
    mayNot: [
      'patch apps/controllerrevisions',
      'override outrigger.dev/rolloutpolicies',
      'patch outrigger.dev/rolloutpolicies',
      'delete outrigger.dev/rolloutapprovals',
      'patch outrigger.dev/addonrollouts',
    ],
  },
  'outrigger:approver': {
    may: [
      'update register.open-cluster-management.io/managedclusters/accept',
      'update certificates.k8s.io/certificatesigningrequests/approval',
      'patch cluster.open-cluster-management.io/managedclusters',
      'create cluster.open-cluster-management.io/managedclusters',
      'delete cluster.open-cluster-management.io/managedclusters',
    ],
    mayNot: [
      'list apps/controllerrevisions',
      'patch addon.open-cluster-management.io/clustermanagementaddons',
      'create /serviceaccounts/token',
      'create /serviceaccounts',
      'patch /namespaces',
    ],
  },
};

/** Each role for users grants exactly the permissions in its table, once the API server has aggregated it. */
export async function givesRights({ hub, eventually }: PeopleWorld): Promise<void> {
  for (const [role, { may, mayNot }] of Object.entries(RIGHTS)) {
    const user = role.replace('outrigger:', '');
    await hub.create(clusterRoleBindings, {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: `people-${user}` },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
    });
    const [first = ''] = may;
    await eventually(`${role} is aggregated`, async () => ((await isAllowed(hub, user, first)) ? true : undefined));
    const answers = await Promise.all([...may, ...mayNot].map(async (right) => [right, await isAllowed(hub, user, right)] as const));
    expect({ role, rights: Object.fromEntries(answers) }).toEqual({
      role,
      rights: Object.fromEntries([...may.map((right) => [right, true] as const), ...mayNot.map((right) => [right, false] as const)]),
    });
  }
}

async function isAllowed(hub: Client, user: string, right: string): Promise<boolean> {
  const [verb = '', path = ''] = right.split(' ');
  const [group = '', resource = '', subresource = ''] = path.split('/');
  const review = await hub.create(subjectAccessReviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { user, resourceAttributes: { verb, group, resource, subresource, name: '', namespace: '' } },
  });
  return (review as KubeObject & { readonly status?: { readonly allowed?: boolean } }).status?.allowed === true;
}

/** Runs the commands of the cluster owner's guide as a user whose only permission is the role in the namespace of the cluster. */
export async function ownerTypesTheGuide(world: PeopleWorld): Promise<void> {
  const { hub, runtime, eventually } = world;
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-owner-'));
  try {
    await hub.create(roleBindings, {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'owner', namespace: 'cluster1' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'outrigger:cluster-owner' },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: 'olivia' }],
    });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, impersonating(world.adminKubeconfig, 'olivia', 'cluster1'));
    const owner = (...args: readonly string[]): Promise<Ran> => runCommand(args, runtime, { KUBECONFIG: kubeconfig });
    await eventually('the role is aggregated', async () =>
      (await owner('get', 'addons', '--cluster', 'cluster1')).code === 0 ? true : undefined,
    );
    await answersWithinItsRights(owner);
    for (const { line, isAdmins } of await guideLines()) {
      if (isAdmins) await annotate(hub, line);
      else {
        const { code, note } = await owner(...line.split(/\s+/).slice(1));
        expect({ line, code, note: code === 0 ? '' : note }).toEqual({ line, code: 0, note: '' });
      }
    }
    await eventually('metrics is gone', async () =>
      (await owner('get', 'addons', 'metrics', '--cluster', 'cluster1', '-o', 'name')).out === '' ? true : undefined,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function answersWithinItsRights(owner: (...args: readonly string[]) => Promise<Ran>): Promise<void> {
  const all = await owner('get', 'addons');
  expect(all).toMatchObject({ code: 0, note: expect.stringContaining('these are those of cluster1') as string });
  expect(all.out).toMatch(/cluster1\s+metrics/);
  const why = await owner('why', 'metrics', '--cluster', 'cluster1');
  expect(why.out).toMatch(/^metrics on cluster1: available/);
  expect(why.out).toContain('your rights do not include the declaration');
  expect((await owner('render', 'metrics', '--cluster', 'cluster1')).out).toContain('kind: Deployment');
  for (const args of [['tree', '--cluster', 'cluster1'], ['tree']])
    expect(await owner(...args)).toMatchObject({ code: 0, out: expect.stringMatching(/metrics .*available/) as string });
  expect((await owner('tree')).note).toContain('these are those of cluster1, the namespace of your context');
  expect(await owner('disable', 'metrics', '--cluster', 'cluster1')).toMatchObject({
    code: 1,
    note: expect.stringContaining('outrigger disable metrics --cluster cluster1 --force') as string,
  });
  for (const args of [
    ['get', 'clusters'],
    ['rollout', 'status', 'metrics'],
    ['rollout', 'pause', 'metrics'],
    ['upgrade', 'metrics', '--to', 'v1'],
  ])
    expect(await owner(...args)).toMatchObject({ code: 1, note: expect.stringContaining('outrigger:viewer') as string });
  expect((await owner('get', 'addons', '--cluster', 'cluster2')).code).toBe(1);
  expect((await owner('doctor')).note).not.toContain('forbidden');
}

async function guideLines(): Promise<readonly { readonly line: string; readonly isAdmins: boolean }[]> {
  const text = await readFile(GUIDE, 'utf8');
  const lines = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => block.split('\n')).filter((line) => line !== '');
  expect(lines.length).toBeGreaterThan(5);
  return lines.map((line) => ({ line: line.replace(/\s+#.*$/, ''), isAdmins: line.endsWith('# the fleet admin types this') }));
}

async function annotate(hub: Client, line: string): Promise<void> {
  const [, key = '', value = ''] = /annotate managedcluster cluster1 (\S+)=(\S+)$/.exec(line) ?? [];
  await hub.patch(managedClusters, { name: 'cluster1' }, { type: 'merge', patch: { metadata: { annotations: { [key]: value } } } });
}

interface KubeconfigFile {
  readonly users: readonly { readonly user: object }[];
  readonly contexts: readonly { readonly context: object }[];
}

/** Returns an administrator's kubeconfig that acts as the user, with the namespace in each context. */
export function impersonating(text: string, user: string, namespace: string): string {
  const [file] = parseYaml(text) as unknown as [KubeconfigFile];
  return toYaml({
    ...file,
    users: file.users.map((one) => ({ ...one, user: { ...one.user, as: user } })),
    contexts: file.contexts.map((one) => ({ ...one, context: { ...one.context, namespace } })),
  });
}
