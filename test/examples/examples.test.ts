import {
  AGENT_NAMESPACE,
  HUB_NAMESPACE,
  type ManagedClusterAddOn,
  addOnRollouts,
  deployments,
  managedClusterAddOns,
  rolloutPolicies,
  secrets,
} from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { createCertificateAuthority } from '@outrigger/core/x509';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startCliWorld } from '../cli/world.js';
import { timeless } from '../cli/guide-story.js';
import { commandsOf, removeAddOns, screenOf, type } from './readme.js';

const CLUSTERS = ['cluster1', 'cluster2', 'cluster3'];

describe('the READMEs of the examples', () => {
  it.each(['hello', 'canary', 'rollback'])('%s: an upgrade is typed after the version before it runs everywhere', async (example) => {
    const commands = await commandsOf(example);
    const upgrades = commands.flatMap((line, at) =>
      line.startsWith('outrigger upgrade ') ? [{ line, before: commands.slice(0, at) }] : [],
    );
    expect(upgrades.length).toBeGreaterThan(0);
    for (const { line, before } of upgrades) {
      const addOn = line.split(' ')[2] ?? '';
      const waits = before.filter((one) => one.includes(` ${addOn} `) && / --(wait|watch)\b/.test(one));
      expect({ line, waits: waits.length > 0 }).toEqual({ line, waits: true });
    }
  });
});

describe('the examples, with the commands of their READMEs', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(CLUSTERS.length);
  });
  afterAll(() => world.stop());

  const installed = async (name: string): Promise<readonly ManagedClusterAddOn[]> =>
    (await world.fleet.hub.list(managedClusterAddOns)).items.filter(({ metadata }) => metadata.name === name);

  /** Returns the clusters on which the add-on is available and done, with its version: `cluster1 v1`. */
  async function standing(name: string): Promise<readonly string[]> {
    const all = await installed(name);
    return all
      .filter(
        ({ status }) =>
          findCondition(status?.conditions, 'Available')?.status === 'True' &&
          findCondition(status?.conditions, 'Progressing')?.reason === 'Succeed',
      )
      .map(({ metadata, status }) => `${metadata.namespace} ${status?.currentVersion}`)
      .sort();
  }

  const becomes = (name: string, ...want: readonly string[]): Promise<true> =>
    world.eventually(`${name}: ${want.join(', ')}`, async () =>
      JSON.stringify(await standing(name)) === JSON.stringify(want) ? true : undefined,
    );
  const everywhere = (version: string): string[] => CLUSTERS.map((cluster) => `${cluster} ${version}`);

  it('hello: an add-on from YAML, then its second version', async () => {
    const [apply = '', status = '', upgrade = ''] = await commandsOf('hello');
    await type(world, apply);
    await becomes('hello-example', ...everywhere('v1'));
    expect(await type(world, status)).toMatchObject({ code: 0 });
    const shown = await world.outrigger('get', 'addons', 'hello-example');
    expect(shown.out).toContain('cluster3   hello-example   v1        True');
    expect(await type(world, upgrade)).toMatchObject({ code: 0 });
    await becomes('hello-example', ...everywhere('v2'));
    await removeAddOns(world.fleet.hub, 'hello-example');
  });

  it('label-selector: why reports which label is missing', async () => {
    const [apply = '', why = '', label = ''] = await commandsOf('label-selector');
    await type(world, apply);
    expect((await type(world, why)).out).toContain('tier must be "edge", it is not set');
    await type(world, label);
    await becomes('labelled', 'cluster2 v1');
    await removeAddOns(world.fleet.hub, 'labelled');
  });

  it('canary: one cluster first, with the commands typed one after the other', async () => {
    const [apply = '', wait = '', canaries = '', get = '', all = ''] = await commandsOf('canary');
    await type(world, apply);
    expect(await type(world, wait)).toMatchObject({ code: 0 });
    expect(await type(world, canaries)).toMatchObject({ code: 0 });
    expect(timeless((await type(world, get)).out)).toBe(timeless(await screenOf('canary')));
    expect(await type(world, all)).toMatchObject({ code: 0 });
    expect(await standing('wave')).toEqual(everywhere('v2'));
    await removeAddOns(world.fleet.hub, 'wave');
  });

  it('rollback: a broken version stops at the first cluster, and is undone', async () => {
    const [apply = '', wait = '', upgrade = '', rollback = ''] = await commandsOf('rollback');
    await type(world, apply);
    expect(await type(world, wait)).toMatchObject({ code: 0 });
    expect(await standing('shaky')).toEqual(everywhere('v1'));
    await type(world, upgrade);
    await world.eventually('the rollout is halted', async () =>
      (await world.fleet.hub.get(addOnRollouts, { name: 'shaky' })).status?.state === 'Halted' ? true : undefined,
    );
    expect((await standing('shaky')).length).toBeGreaterThanOrEqual(CLUSTERS.length - 1);
    const status = await world.outrigger('rollout', 'status', 'shaky');
    expect(status.out).toContain('Halted');
    expect((await type(world, rollback)).out).toContain('shaky goes back to revision 1 (v1)');
    await becomes('shaky', ...everywhere('v1'));
    await removeAddOns(world.fleet.hub, 'shaky');
  });

  it('rollout-policies: each file is valid, and the hub accepts those whose providers it knows', async () => {
    const { hub } = world.fleet;
    const [lint = '', apply = '', list = ''] = await commandsOf('rollout-policies');
    expect(await type(world, lint)).toMatchObject({ code: 0, out: '' });
    await type(world, apply);
    const { out } = await type(world, list);
    const names = ['nights', 'two-people', 'way-back'];
    for (const name of names) expect(out).toContain(name);
    await expect(type(world, 'kubectl apply -f examples/rollout-policies/analysis.yaml')).rejects.toThrow(
      'the manager has no metrics provider "prometheus"',
    );
    for (const name of names) await hub.delete(rolloutPolicies, { name });
  });

  it('dependencies: the missing one is reported, and the add-on recovers by itself', async () => {
    const [apply = '', why = '', enable = ''] = await commandsOf('dependencies');
    await type(world, apply);
    await world.eventually('shop is degraded on cluster1', async () =>
      (await world.outrigger('why', 'shop', '-c', 'cluster1')).out.includes('blocked') ? true : undefined,
    );
    expect((await type(world, why)).out).toContain(
      "Required addon 'store' is not installed or not available. Orders have nowhere to go without it.",
    );
    expect(await type(world, enable)).toMatchObject({ code: 0 });
    await becomes('shop', 'cluster1 v1');
    const [shop] = (await installed('shop')).filter(({ metadata }) => metadata.namespace === 'cluster1');
    expect(findCondition(shop?.status?.conditions, 'Degraded')).toMatchObject({ status: 'True', reason: 'DependencyNotSatisfied' });
    await world.eventually('store has settled', async () => ((await standing('store')).length === 1 ? true : undefined));
    expect((await world.outrigger('tree', '--cluster', 'cluster1')).out).toMatch(/^shop\s+-\s+degraded\s.*store\s+Required\s+available/ms);
    await removeAddOns(world.fleet.hub, 'shop', 'store');
  });

  it('configuration: one cluster differs, and render shows it', async () => {
    const [fleet = '', own = '', render = ''] = await commandsOf('configuration');
    await type(world, fleet);
    await becomes('greeter', ...everywhere('v1'));
    await type(world, own);
    const args = async (cluster: string): Promise<unknown> => {
      const found = await world.fleet.cluster(cluster).get(deployments, { namespace: 'greeter', name: 'greeter-agent' });
      return (found.spec?.template?.spec?.containers?.[0] as { readonly args?: unknown } | undefined)?.args;
    };
    await world.eventually('cluster1 greets differently', async () =>
      JSON.stringify(await args('cluster1')) === '["--greeting=bonjour"]' ? true : undefined,
    );
    expect(await args('cluster2')).toEqual(['--greeting=hello']);
    const rendered = await type(world, render);
    expect(rendered.out).toContain('--greeting=bonjour');
    expect(rendered.out).toContain('disk: ssd');
    expect((await world.outrigger('render', 'greeter', '--cluster', 'cluster2')).out).toContain('--greeting=hello');
    await removeAddOns(world.fleet.hub, 'greeter');
  });

  it('custom-signer: the agent gets a certificate from our own authority', async () => {
    const now = world.runtime.clock.now();
    const ca = await createCertificateAuthority(world.runtime.keys, {
      commonName: 'signed-ca',
      notBefore: now - 3_600_000,
      notAfter: now + 86_400_000,
      serial: world.runtime.random.bytes(16),
    });
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    await world.fleet.hub.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'signed-ca', namespace: HUB_NAMESPACE },
      data: { 'ca.crt': base64(ca.certificate), 'ca.key': base64(ca.privateKey) },
    });
    const commands = await commandsOf('custom-signer');
    await type(world, commands.at(-1) ?? '');
    const secret = await world.eventually('a signed certificate on cluster1', async () => {
      const { items } = await world.fleet.cluster('cluster1').list(secrets);
      return items.find(
        ({ metadata, data }) =>
          metadata.name?.startsWith('signed-') && metadata.namespace !== AGENT_NAMESPACE && data?.['tls.crt'] !== undefined,
      );
    });
    expect(Buffer.from(secret.data?.['tls.crt'] ?? '', 'base64').toString()).toContain('BEGIN CERTIFICATE');
    await removeAddOns(world.fleet.hub, 'signed');
  });
});
