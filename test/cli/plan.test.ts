import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addOnRollouts, clusterManagementAddOns, clusterRoleBindings, clusterRoles } from '@outrigger/api';
import { parseYamlDocument } from '@outrigger/core/yaml';
import { installSamples } from '@outrigger/cli';
import { type Plan, planChange } from '@outrigger/hub/planner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { impersonating } from './people.js';
import { type CliWorld, type Ran, runCommand, startCliWorld } from './world.js';

const RBAC = 'rbac.authorization.k8s.io';

describe('outrigger plan', () => {
  let world: CliWorld;
  const as = async (user: string, ...args: readonly string[]): Promise<Ran> => {
    const kubeconfig = join(world.folder, user);
    await writeFile(kubeconfig, impersonating(world.fleet.kubeconfig, user, 'default'));
    return runCommand(args, world.runtime, { KUBECONFIG: kubeconfig });
  };
  const bind = async (user: string, role: string): Promise<void> => {
    await world.fleet.hub.create(clusterRoleBindings, {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: user },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
    });
  };
  beforeAll(async () => {
    world = await startCliWorld(3);
    await installSamples(world.fleet.hub);
    const { code } = await world.outrigger('rollout', 'status', 'hello', '--watch', '--timeout', '60');
    expect(code).toBe(0);
  });
  afterAll(() => world.stop());

  it('shows who moves, what changes, when, and marks each statement', async () => {
    const { code, out } = await world.outrigger('plan', 'hello', '--to', 'v2', '--fail', '10%', '--from', '2026-12-01T08:00:00Z');
    expect(code).toBe(0);
    expect(out).toContain('hello to v2, from 2026-12-01T08:00:00Z');
    expect(out).toMatch(/v2 \(new revision 2\) \[known\]\n\s+group 0: 3 move \[known\]/);
    expect(out).toContain('-         image: example.com/hello:v1\n    +         image: example.com/hello:v2');
    expect(out).toMatch(/wave 1, group 0: 3 clusters \(cluster1, cluster2, cluster3\) from 0 s to \d+ s \[assumed\]/);
    expect(out).toMatch(/ends after \d+ s \(p50\) to \d+ s \(p90 2026-12-01T08:00:\d\dZ\) in 200 seeded runs \[assumed\]/);
    expect(out).toMatch(/if 10 % of the moves fail: halts in \d+ of 200 runs/);
    expect(out).toContain('rights on the clusters [cannot be known]');
    for (const line of out.split('\n').filter((one) => /^ {2}\S/.test(one))) expect(line).toMatch(/\[(known|assumed|cannot be known)\]$/);
  });

  it('prints the same for programs, and the same seed gives the same plan', async () => {
    const args = ['plan', 'hello', '--to', 'v2', '--seed', '7', '--from', '2026-12-01T08:00:00Z', '-o', 'json'];
    const [first, second] = [await world.outrigger(...args), await world.outrigger(...args)];
    expect(first.code).toBe(0);
    expect(second.out).toBe(first.out);
    const plan = JSON.parse(first.out) as Plan;
    expect(plan.entries[0]?.groups[0]?.moving).toEqual(['cluster1', 'cluster2', 'cluster3']);
    expect(plan.differences).toMatchObject([{ from: 1, to: 2, clusters: ['cluster1', 'cluster2', 'cluster3'] }]);
    expect(plan.end?.runs).toBe(200);
  });

  it.each([
    { name: 'an upgrade', args: ['--to', 'v2'] },
    { name: 'an upgrade with assumed failures', args: ['--to', 'v2', '--fail', '10%', '--offline', '5%'] },
    { name: 'a change that moves no cluster', args: ['--revision', '1'] },
    { name: 'a change that is not possible', args: ['--to', 'v9'] },
  ])('$name: YAML is the same value as JSON', async ({ args }) => {
    const plan = (format: string): Promise<Ran> =>
      world.outrigger('plan', 'hello', ...args, '--from', '2026-12-01T08:00:00Z', '-o', format);
    const [json, yaml] = [await plan('json'), await plan('yaml')];
    const parsed = JSON.parse(json.out) as Plan;
    expect(parsed).toMatchObject({ addOn: 'hello', from: '2026-12-01T08:00:00Z' });
    expect(yaml.out).not.toMatch(/^\{/);
    expect(parseYamlDocument(yaml.out)).toEqual(parsed);
    expect(yaml.code).toBe(json.code);
  });

  it.each<{ readonly name: string; readonly args: readonly string[]; readonly code: number; readonly says: string }>([
    { name: 'a version that no template offers', args: ['plan', 'hello', '--to', 'v9'], code: 5, says: 'has no version "v9"' },
    { name: 'a revision that does not exist', args: ['plan', 'hello', '--revision', '9'], code: 5, says: 'has no revision 9' },
    { name: 'an add-on that does not exist', args: ['plan', 'helo', '--to', 'v2'], code: 3, says: 'hello' },
    { name: 'no change', args: ['plan', 'hello'], code: 2, says: 'which change?' },
    { name: 'two changes', args: ['plan', 'hello', '--to', 'v2', '--revision', '1'], code: 2, says: 'cannot be used with' },
    { name: 'a share above one', args: ['plan', 'hello', '--to', 'v2', '--offline', '200%'], code: 2, says: 'a share such as 5%' },
    { name: 'a time that is none', args: ['plan', 'hello', '--to', 'v2', '--from', 'tomorrow'], code: 2, says: 'want a time' },
    { name: 'the revision it has', args: ['plan', 'hello', '--revision', '1'], code: 0, says: 'nothing to move' },
    { name: 'upgrade --plan', args: ['upgrade', 'hello', '--to', 'v2', '--plan'], code: 0, says: '3 move' },
    {
      name: 'upgrade of one cluster --plan',
      args: ['upgrade', 'hello', '--to', 'v2', '--cluster', 'cluster2', '--plan'],
      code: 0,
      says: '+         image: example.com/hello:v2',
    },
    {
      name: 'rollback --plan without a way back',
      args: ['rollback', 'hello', '--plan'],
      code: 5,
      says: 'hello has had revision 1 (v1) only',
    },
    { name: 'enable --plan', args: ['enable', 'metrics', '--cluster', 'cluster1', '--plan'], code: 0, says: 'metrics on cluster1' },
  ])('$name: exit code $code', async ({ args, code, says }) => {
    const ran = await world.outrigger(...args);
    expect({ code: ran.code, text: `${ran.out}${ran.note}` }).toEqual({ code, text: expect.stringContaining(says) as string });
  });

  it('plans the files of a reader', async () => {
    const { hub } = world.fleet;
    const { apiVersion, kind, spec } = await hub.get(clusterManagementAddOns, { name: 'hello' });
    const file = join(world.folder, 'manual.json');
    await writeFile(
      file,
      JSON.stringify({ apiVersion, kind, metadata: { name: 'hello' }, spec: { ...spec, installStrategy: { type: 'Manual' } } }),
    );
    const { code, out } = await world.outrigger('plan', 'hello', '-f', file);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('default: v1 (revision 1)') as string });
  });

  it('requests nothing but lists and reads', async () => {
    const verbs = new Set<string>();
    const counting = new Proxy(world.fleet.hub, {
      get(target, property, receiver): unknown {
        verbs.add(String(property));
        return Reflect.get(target, property, receiver) as unknown;
      },
    });
    const before = await world.fleet.hub.get(addOnRollouts, { name: 'hello' });
    await planChange(counting, { addOn: 'hello', title: '', change: () => ({ objects: [] }), from: 1, seed: 1, fail: 0.5 });
    expect([...verbs].sort()).toEqual(['listAll']);
    expect((await world.fleet.hub.get(addOnRollouts, { name: 'hello' })).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('a viewer may plan, because nothing is written; a refused list is unknown: exit code 5', async () => {
    await bind('vera', 'outrigger:viewer');
    await world.eventually('the role is aggregated', async () => ((await as('vera', 'get', 'addons')).code === 0 ? true : undefined));
    expect((await as('vera', 'plan', 'hello', '--to', 'v2')).code).toBe(0);
    await world.fleet.hub.create(clusterRoles, {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'half' },
      rules: [
        { apiGroups: ['addon.open-cluster-management.io', 'cluster.open-cluster-management.io'], resources: ['*'], verbs: ['get', 'list'] },
        { apiGroups: ['outrigger.dev'], resources: ['addonrollouts'], verbs: ['get', 'list'] },
      ],
    });
    await bind('hal', 'half');
    await world.eventually('the role counts', async () => ((await as('hal', 'get', 'addons')).code === 0 ? true : undefined));
    const { code, out } = await as('hal', 'plan', 'hello', '--to', 'v2');
    expect({ code, out }).toEqual({
      code: 5,
      out: expect.stringMatching(/3 move[\s\S]*your rights do not include listing rolloutpolicies[^\n]*\[cannot be known\]/) as string,
    });
    await bind('nora', 'system:discovery');
    const blind = await as('nora', 'plan', 'hello', '--to', 'v2');
    expect({ code: blind.code, out: blind.out }).toEqual({
      code: 5,
      out: expect.stringContaining('your rights do not include listing managedclusters') as string,
    });
  });
});
