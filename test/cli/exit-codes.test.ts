import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterManagementAddOns } from '@outrigger/api';
import { EXIT, installSamples } from '@outrigger/cli';
import { findCondition } from '@outrigger/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyFailureIsAnEvent, refusedRegistrationIsAnEvent, silenceAndReturnAreEvents } from './event-stories.js';
import { whyReachesTheCauses } from './why-stories.js';
import { type CliWorld, startCliWorld, startCommand } from './world.js';

describe('exit codes and following', () => {
  let world: CliWorld;
  let nowhere: string;
  beforeAll(async () => {
    world = await startCliWorld(1);
    await installSamples(world.fleet.hub);
    nowhere = join(world.folder, 'nowhere');
    await writeFile(nowhere, world.fleet.kubeconfig.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'));
    await world.eventually('hello is available', async () =>
      (await world.outrigger('why', 'hello', '-c', 'cluster1')).out.includes('hello on cluster1: available') ? true : undefined,
    );
  });
  afterAll(() => world.stop());

  it('are those the guide lists', () => {
    const page = readFileSync(new URL('../../docs/guides/cli.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| (\d+) \| /gm)].map(([, code]) => Number(code));
    expect(listed).toEqual(Object.values(EXIT));
  });

  it.each([
    { code: 0, means: 'done', args: ['get', 'addons'] },
    { code: 0, means: 'help was asked for', args: [] },
    { code: 0, means: 'nothing is wrong with the add-on', args: ['why', 'hello'] },
    { code: 0, means: 'nothing is wrong with it on the cluster', args: ['why', 'hello', '--cluster', 'cluster1'] },
    { code: 1, means: 'the hub refused', args: ['rollout', 'confirm', 'hello'] },
    { code: 2, means: 'no sense', args: ['get', 'addons', '--output', 'xml'] },
    { code: 3, means: 'a named object does not exist', args: ['why', 'hello', '--cluster', 'cluster9'] },
    { code: 3, means: 'an add-on that does not exist', args: ['why', 'helo', '--cluster', 'cluster1'] },
    { code: 3, means: 'an add-on of the fleet that does not exist', args: ['why', 'helo'] },
    { code: 3, means: 'a version that does not exist', args: ['diff', 'hello', '--cluster', 'cluster1', '--to', 'v9'] },
    { code: 3, means: 'an add-on that is not on the cluster', args: ['upgrade', 'helo', '--cluster', 'cluster1', '--to', 'v2'] },
    { code: 4, means: 'no answer', args: ['get', 'addons', '--kubeconfig', 'NOWHERE'] },
    { code: 4, means: 'no answer to a watch', args: ['get', 'addons', '--watch', '--kubeconfig', 'NOWHERE'] },
    { code: 5, means: 'there are differences', args: ['diff', 'hello', '--cluster', 'cluster1', '--to', 'v2'] },
  ])('$code: $means', async ({ code, args }) => {
    const ran = await world.outrigger(...args.map((word) => (word === 'NOWHERE' ? nowhere : word)));
    expect({ code: ran.code, note: code === 0 ? ran.note : '' }).toEqual({ code, note: '' });
    if (code > 1) expect(ran.note).not.toBe('');
  });

  it('130: get --watch shows every change until it is interrupted', async () => {
    const stop = new AbortController();
    const { written, ended } = startCommand(
      ['get', 'rollouts', '-o', 'name', '--watch'],
      world.runtime,
      { KUBECONFIG: world.kubeconfig },
      stop.signal,
    );
    const shows = (text: string): Promise<true> =>
      world.eventually(`it shows ${text}`, async () => (written.out.includes(text) ? true : undefined));
    await shows('addonrollout.outrigger.dev/hello\n');
    expect(written.out).not.toContain('later');
    await world.fleet.hub.create(clusterManagementAddOns, {
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'later' },
      spec: { installStrategy: { type: 'Manual' } },
    });
    await shows('addonrollout.outrigger.dev/later\n');
    stop.abort();
    expect(await ended).toBe(130);
  });

  it('rollout status --watch ends when it is done, with 5 when it takes too long', async () => {
    const { hub } = world.fleet;
    await world.outrigger('upgrade', 'hello', '--to', 'v2');
    const done = await world.outrigger('rollout', 'status', 'hello', '--watch', '--timeout', '60');
    expect(done.code).toBe(0);
    expect(done.out).toContain('Completed, target v2 (revision 2)');
    await world.outrigger('rollout', 'pause', 'hello');
    const paused = await world.outrigger('rollout', 'status', 'hello', '--watch', '--timeout', '60');
    expect(paused).toMatchObject({ code: 5, note: expect.stringContaining('`outrigger rollout resume hello` goes on') as string });
    const { status } = await hub.get(clusterManagementAddOns, { name: 'hello' });
    expect(findCondition(status?.conditions, 'TargetsResolved')?.status).toBe('True');
  });

  // This test runs last, because its clusters have no agents and a later rollout to all clusters would never complete.
  it('5: why ends at the causes, on one cluster and in the fleet', () =>
    whyReachesTheCauses({ hub: world.fleet.hub, outrigger: world.outrigger, eventually: world.eventually }));

  it('a failure without output is an Event, once', async () => {
    const { fleet, outrigger, eventually, runtime } = world;
    const events = { hub: fleet.hub, outrigger, eventually, now: () => runtime.clock.now() };
    await applyFailureIsAnEvent(events);
    await refusedRegistrationIsAnEvent(events);
    await silenceAndReturnAreEvents(events);
  });
});
