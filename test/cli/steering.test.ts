import { ADDON_VERSION_LABEL, addOnRollouts, addOnTemplates, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { installSamples } from '@outrigger/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type } from '../examples/readme.js';
import { type CliWorld, type Ran, startCliWorld } from './world.js';

describe('steering rollouts', () => {
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
  beforeAll(async () => {
    world = await startCliWorld(2);
    await installSamples(world.fleet.hub);
    await ran(0, 'rollout', 'status', 'hello', '--watch', '--timeout', '60');
    await type(world, 'kubectl apply -f examples/rollback');
    await ran(0, 'rollout', 'status', 'shaky', '--watch', '--timeout', '60');
  });
  afterAll(() => world.stop());

  it('get clusters --cluster lists that cluster only', async () => {
    expect((await world.outrigger('get', 'clusters', '-o', 'name')).out.split('\n').length).toBeGreaterThan(2);
    expect((await world.outrigger('get', 'clusters', '-c', 'cluster1', '-o', 'name')).out).toMatch(/^managedclusters?\S*\/cluster1\n$/);
  });

  it('--wait returns when every cluster has the version', async () => {
    await ran(0, 'upgrade', 'hello', '--to', 'v2', '--wait', '--timeout', '60');
    expect(await versions('hello')).toEqual(['v2', 'v2']);
    await ran(0, 'rollback', 'hello', '--to-revision', '1', '--wait', '--timeout', '60');
    expect(await versions('hello')).toEqual(['v1', 'v1']);
    await ran(0, 'upgrade', 'hello', '--to', 'v2', '--cluster', 'cluster1', '--wait', '--timeout', '60');
    expect(await versions('hello')).toContain('v2');
    await ran(0, 'upgrade', 'hello', '--clear', '--cluster', 'cluster1', '--wait');
  });

  it('an upgrade of a pinned add-on removes the pin', async () => {
    await ran(0, 'upgrade', 'hello', '--to', 'v2', '--wait', '--timeout', '60');
    expect((await world.fleet.hub.get(addOnRollouts, { name: 'hello' })).spec?.pinnedRevision).toBeUndefined();
    expect(await versions('hello')).toEqual(['v2', 'v2']);
  });

  it.each([
    ['the rollout', ['rollout', 'pause', 'hello'], ['rollout', 'resume', 'hello']],
    ['the fleet', ['pause', '--all'], ['resume', '--all']],
  ])('a command that changes an add-on names the pause of %s', async (_, pause, resume) => {
    await ran(0, ...pause);
    for (const change of [
      ['upgrade', 'hello', '--to', 'v1'],
      ['rollback', 'hello', '--to-revision', '1'],
      ['rollback', 'hello', '--clear', '--yes'],
      ['config', 'set', 'hello', 'A=1'],
      ['config', 'set', 'hello', 'A=2'],
      ['upgrade', 'hello', '--to', 'v2'],
    ])
      expect((await ran(0, ...change)).out).toMatch(new RegExp(`paused: \`outrigger ${resume.join(' ')}\` goes on`));
    await ran(0, ...resume);
    expect((await ran(0, 'rollback', 'hello', '--to-revision', '1')).out).toContain('`outrigger rollout status hello --watch` follows it');
    await ran(0, 'upgrade', 'hello', '--to', 'v2', '--wait', '--timeout', '60');
  });

  it('pause --all stops every rollout, and resume --all continues them', async () => {
    await ran(0, 'pause', '--all');
    await ran(0, 'upgrade', 'hello', '--to', 'v1');
    await world.eventually('hello is paused', async () =>
      (await world.outrigger('rollout', 'status', 'hello')).out.startsWith('hello: Paused') ? true : undefined,
    );
    expect((await ran(5, 'rollout', 'status', 'hello', '--watch', '--timeout', '5')).note).toContain('outrigger resume --all');
    expect(await versions('hello')).toEqual(['v2', 'v2']);
    expect((await world.outrigger('doctor')).out).toContain('outrigger resume --all');
    expect((await ran(0, 'get', 'rollouts', '-o', 'name')).out).not.toContain('fleet.outrigger.dev');
    await ran(0, 'resume', '--all');
    await ran(0, 'rollout', 'status', 'hello', '--watch', '--timeout', '60');
    expect(await versions('hello')).toEqual(['v1', 'v1']);
    await ran(2, 'pause');
    await ran(2, 'pause', 'hello', '--all');
  });

  it('a pinned rollout moves forward without passing through the broken version', async () => {
    const { hub } = world.fleet;
    const first = (await hub.list(addOnTemplates)).items.find(
      ({ metadata, spec }) => spec.addonName === 'shaky' && metadata.labels?.[ADDON_VERSION_LABEL] === 'v1',
    );
    if (!first) throw new Error('shaky has no v1');
    await hub.create(addOnTemplates, { ...first, metadata: { name: 'shaky-v3', labels: { [ADDON_VERSION_LABEL]: 'v3' } } });
    await ran(0, 'upgrade', 'shaky', '--to', 'v2');
    expect((await ran(5, 'rollout', 'status', 'shaky', '--watch', '--timeout', '60')).note).toContain('halted');
    await ran(0, 'rollback', 'shaky', '--to-revision', '1', '--wait', '--timeout', '60');
    const refused = await ran(1, 'rollback', 'shaky', '--clear');
    expect(refused.note).toMatch(/goes to v2, and revision \d+ \(v2\) failed before: nothing was changed/);
    expect((await hub.get(addOnRollouts, { name: 'shaky' })).spec?.pinnedRevision).toBe(1);

    const seen = new Set<string>();
    const looking = new AbortController();
    const look = async (): Promise<void> => {
      while (!looking.signal.aborted) {
        for (const { metadata } of (await hub.list(manifestWorks)).items)
          if (metadata.name?.startsWith('addon-shaky')) seen.add(metadata.labels?.[ADDON_VERSION_LABEL] ?? '');
        const rollout = await hub.get(addOnRollouts, { name: 'shaky' });
        const { history = [], entries = [] } = rollout.status ?? {};
        for (const { targetRevision } of entries)
          seen.add(`target ${history.find(({ revision }) => revision === targetRevision)?.version ?? ''}`);
        // Requests to a server in the same process use no timer, so without this sleep the manager's timers would not run.
        await world.runtime.timers.sleep(5);
      }
    };
    const looked = look();
    try {
      await ran(0, 'upgrade', 'shaky', '--to', 'v3', '--wait', '--timeout', '60');
    } finally {
      looking.abort();
      await looked;
    }
    expect([...seen].sort()).toEqual(['target v1', 'target v3', 'v1', 'v3']);
    expect(await versions('shaky')).toEqual(['v3', 'v3']);
  });

  it('--clear --yes rolls the failed content out again, and abort goes back to what completed', async () => {
    await ran(0, 'upgrade', 'shaky', '--to', 'v2');
    await ran(5, 'rollout', 'status', 'shaky', '--watch', '--timeout', '60');
    expect((await ran(0, 'rollout', 'abort', 'shaky')).out).toContain('the last that completed');
    await ran(0, 'rollout', 'status', 'shaky', '--watch', '--timeout', '60');
    expect(await versions('shaky')).toEqual(['v3', 'v3']);
    await ran(1, 'rollback', 'shaky', '--clear');
    expect((await ran(0, 'rollback', 'shaky', '--clear', '--yes')).out).toContain('goes to v2');
    await ran(5, 'rollout', 'status', 'shaky', '--watch', '--timeout', '60');
    await ran(0, 'rollout', 'abort', 'shaky');
  });

  it('a skipped cluster keeps its version, and the rollout goes around it', async () => {
    await ran(0, 'rollout', 'skip', 'hello', '--cluster', 'cluster2');
    const { out: followed } = await ran(0, 'upgrade', 'hello', '--to', 'v2', '--wait', '--timeout', '60');
    const { out: shown } = await ran(0, 'rollout', 'status', 'hello');
    for (const text of [followed, shown]) {
      expect(text).toMatch(/^hello: Completed, 1 overridden, target v2/m);
      expect(text).toContain(': done, but kept at another version by an override: cluster2 (v1)\n');
    }
    const { out } = await ran(0, 'get', 'addons', 'hello');
    expect(out).toMatch(/cluster1 +hello +v2 /);
    expect(out).toMatch(/cluster2 +hello +v1 /);
  });
});
