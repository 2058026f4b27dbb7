import { ADDON_VERSION_LABEL, addOnRollouts, addOnTemplates, managedClusterAddOns } from '@outrigger/api';
import { installSamples } from '@outrigger/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type } from '../examples/readme.js';
import { type CliWorld, type Ran, startCliWorld } from './world.js';

describe('outrigger rollback', () => {
  let world: CliWorld;
  const ran = async (code: number, ...args: readonly string[]): Promise<Ran> => {
    const result = await world.outrigger(...args);
    expect({ args, code: result.code, note: result.code === code ? '' : result.note }).toEqual({ args, code, note: '' });
    return result;
  };
  const versions = async (addOn: string): Promise<readonly (string | undefined)[]> =>
    (await world.fleet.hub.list(managedClusterAddOns)).items
      .filter(({ metadata }) => metadata.name === addOn)
      .map(({ status }) => status?.currentVersion);
  const pinned = async (addOn: string): Promise<number | undefined> =>
    (await world.fleet.hub.get(addOnRollouts, { name: addOn })).spec?.pinnedRevision;
  beforeAll(async () => {
    world = await startCliWorld(2);
    await installSamples(world.fleet.hub);
    await ran(0, 'rollout', 'status', 'hello', '--watch', '--timeout', '60');
  });
  afterAll(() => world.stop());

  it('AT-62 refuses if no earlier target completed', async () => {
    const { note } = await ran(1, 'rollback', 'hello');
    expect(note).toContain(
      'hello has had revision 1 (v1) only, so there is nothing to go back to: `outrigger why hello` explains its state',
    );
    expect(await pinned('hello')).toBeUndefined();
  });

  it.each([[[]], [['--yes']], [['--placement', 'labelSelector']]])('--clear %s without a pin says so and writes nothing', async (more) => {
    const versionOf = async (): Promise<string | undefined> =>
      (await world.fleet.hub.get(addOnRollouts, { name: 'hello' })).metadata.resourceVersion;
    const before = await versionOf();
    const { out } = await ran(0, 'rollback', 'hello', '--clear', ...more);
    expect(out).toBe('hello is not pinned: it follows its declaration already\n');
    expect(await versionOf()).toBe(before);
  });

  it('AT-62 goes to the latest target in time, not to the number before', async () => {
    await ran(0, 'upgrade', 'hello', '--to', 'v2', '--wait', '--timeout', '60');
    await ran(0, 'upgrade', 'hello', '--to', 'v1', '--wait', '--timeout', '60');
    const { out } = await ran(0, 'rollback', 'hello', '--wait', '--timeout', '60');
    expect(out).toMatch(
      /hello goes back to revision 2 \(v2\), the latest target before 1 that completed \(2\d{3}-.*Z\), and is pinned there/,
    );
    expect(await versions('hello')).toEqual(['v2', 'v2']);
    const history = (await ran(0, 'rollout', 'history', 'hello')).out;
    expect(history).toMatch(/^hello +2 +v2 .* Completed +Pin by \S+/m);
    expect(history).toMatch(/^hello +1 +v1 .* Completed +Declaration by \S+/m);
  });

  it('diff --revisions shows what changed between two revisions', async () => {
    const { out } = await ran(5, 'diff', 'hello', '--revisions', '1..2');
    expect(out).toMatch(/^Revision hello$/m);
    expect(out).toMatch(/^- version: v1$/m);
    expect(out).toMatch(/^\+ version: v2$/m);
    expect(out).toMatch(/^(Deployment|DaemonSet|ConfigMap) /m);
    await ran(0, 'diff', 'hello', '--revisions', '2..2');
    expect((await ran(3, 'diff', 'hello', '--revisions', '1..9')).note).toContain('hello has no revision 9');
    for (const wrong of [['1-2'], ['1..2', '--cluster', 'cluster1'], ['..']])
      expect((await ran(2, 'diff', 'hello', '--revisions', ...wrong)).note).toContain('--revisions');
    expect((await ran(2, 'diff', 'hello')).note).toContain('--cluster');
  });

  it('AT-62 goes past two halted versions to the one that completed', async () => {
    const { hub } = world.fleet;
    await type(world, 'kubectl apply -f examples/rollback');
    await ran(0, 'rollout', 'status', 'shaky', '--watch', '--timeout', '60');
    const broken = (await hub.list(addOnTemplates)).items.find(
      ({ metadata, spec }) => spec.addonName === 'shaky' && metadata.labels?.[ADDON_VERSION_LABEL] === 'v2',
    );
    if (!broken) throw new Error('shaky has no v2');
    await hub.create(addOnTemplates, { ...broken, metadata: { name: 'shaky-v3', labels: { [ADDON_VERSION_LABEL]: 'v3' } } });
    for (const version of ['v2', 'v3']) {
      await ran(0, 'upgrade', 'shaky', '--to', version);
      await ran(5, 'rollout', 'status', 'shaky', '--watch', '--timeout', '60');
    }
    const { note } = await ran(1, 'rollback', 'shaky', '--to-revision', '2');
    expect(note).toContain(
      'revision 2 (v2) of shaky failed or was rolled back in labelSelector and has not completed there since: nothing was changed',
    );
    expect(await pinned('shaky')).toBeUndefined();
    const { out } = await ran(0, 'rollback', 'shaky', '--wait', '--timeout', '60');
    expect(out).toContain('shaky goes back to revision 1 (v1), the latest target before 3 that completed');
    expect(await versions('shaky')).toEqual(['v1', 'v1']);
    expect((await ran(0, 'rollout', 'history', 'shaky')).out.match(/Halted/g)).toHaveLength(2);
  });

  it('AT-62 entries: goes to the revision that suits all of them, and refuses if they differ', async () => {
    const { hub } = world.fleet;
    await type(world, 'kubectl apply -f examples/canary');
    const upgrade = (version: string, placement: string): Promise<Ran> =>
      ran(0, 'upgrade', 'wave', '--to', version, '--placement', placement, '--wait', '--timeout', '60');
    await ran(0, 'rollout', 'status', 'wave', '--watch', '--timeout', '60');
    await expect.poll(() => versions('wave'), { timeout: 60_000 }).toEqual(['v1', 'v1']);
    await upgrade('v2', 'default/canaries');
    await expect.poll(() => versions('wave'), { timeout: 60_000 }).toEqual(['v2', 'v1']);
    expect((await ran(0, 'rollback', 'wave', '--wait', '--timeout', '60')).out).toContain('(v1), the latest target before');
    await expect.poll(() => versions('wave'), { timeout: 60_000 }).toEqual(['v1', 'v1']);
    await ran(0, 'rollback', 'wave', '--clear', '--yes');
    await ran(0, 'rollout', 'status', 'wave', '--watch', '--timeout', '60');

    const second = (await hub.list(addOnTemplates)).items.find(
      ({ metadata, spec }) => spec.addonName === 'wave' && metadata.labels?.[ADDON_VERSION_LABEL] === 'v2',
    );
    if (!second) throw new Error('wave has no v2');
    await hub.create(addOnTemplates, { ...second, metadata: { name: 'wave-v3', labels: { [ADDON_VERSION_LABEL]: 'v3' } } });
    await upgrade('v2', 'default/canaries');
    await upgrade('v3', 'default/others');
    await upgrade('v3', 'default/canaries');
    await expect.poll(() => versions('wave'), { timeout: 60_000 }).toEqual(['v3', 'v3']);
    const { note } = await ran(1, 'rollback', 'wave');
    expect(note).toMatch(/do not go back to the same revision \(default\/canaries (\d+) → (\d+), default\/others \1 → (?!\2\b)\d+\)/);
    expect(note).toContain('outrigger rollback wave --all');
    expect(await pinned('wave')).toBeUndefined();

    const canaries = await ran(0, 'rollback', 'wave', '--placement', 'default/canaries', '--wait', '--timeout', '60');
    expect(canaries.out).toMatch(/wave goes back to revision \d+ \(v2\) on the clusters of default\/canaries, the latest target before/);
    await expect.poll(() => versions('wave'), { timeout: 60_000 }).toEqual(['v2', 'v3']);
    expect((await ran(0, 'rollout', 'status', 'wave')).out).toMatch(/default\/canaries pinned at revision \d+/);
    const upgraded = (code: number, placement: string, ...more: readonly string[]): Promise<Ran> =>
      ran(code, 'upgrade', 'wave', '--to', 'v3', '--placement', placement, ...more);
    const clear = '`outrigger rollback wave --clear --placement default/canaries`';
    expect((await upgraded(0, 'default/canaries')).out).toMatch(/when its pin at revision \d+ is removed: /);
    expect((await upgraded(5, 'default/canaries', '--wait')).note).toContain(`no end to wait for: ${clear} removes the pin`);
    expect((await upgraded(0, 'default/others')).out).toContain('wave is declared at v3 on the clusters of default/others already');
    await ran(0, 'rollback', 'wave', '--clear', '--placement', 'default/canaries', '--yes');
    await ran(0, 'rollout', 'status', 'wave', '--watch', '--timeout', '60');
    await expect.poll(() => versions('wave'), { timeout: 60_000 }).toEqual(['v3', 'v3']);
    await ran(0, 'rollback', 'wave', '--all', '--wait', '--timeout', '60');
    await expect.poll(() => versions('wave'), { timeout: 60_000 }).toEqual(['v2', 'v1']);
    await ran(0, 'rollback', 'wave', '--clear', '--yes');
    await ran(0, 'rollout', 'status', 'wave', '--watch', '--timeout', '60');
    await expect.poll(() => versions('wave'), { timeout: 60_000 }).toEqual(['v3', 'v3']);
  });
});
