import { managedClusters } from '@outrigger/api';
import { EXIT, installSamples } from '@outrigger/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crds } from '../../integration/work/world.js';
import { type CliWorld, startCliWorld } from '../world.js';
import { COMMAND_ROWS, WITHOUT_KINDS } from './command-rows.js';
import { answersTheMistake } from './commands.js';
import { SLIP_ROWS, uninstallationRow } from './slip-rows.js';

describe('commands answer mistakes of command lines and kubeconfigs', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(1);
    await installSamples(world.fleet.hub);
    await world.eventually('hello is recorded', async () =>
      (await world.outrigger('rollout', 'status', 'hello')).code === 0 ? true : undefined,
    );
  });
  afterAll(() => world.stop());

  const hub = () => ({ runtime: world.runtime, admin: world.fleet.kubeconfig, server: world.fleet.url });
  const previewed = uninstallationRow('would be removed, with stored revisions, join tokens and our annotations; --apply removes them');
  it.each([...COMMAND_ROWS, ...SLIP_ROWS, previewed])('$title', (row) => answersTheMistake(row, hub()));

  it('a cluster to join that cannot be reached leaves nothing on the hub', async () => {
    for (const [option, value] of [
      ['--cluster-context', 'nowhere'],
      ['--cluster-kubeconfig', '/nonexistent/kubeconfig'],
    ] as const) {
      const ran = await world.outrigger('join', 'edge5', option, value, '--apply');
      expect(ran).toMatchObject({ code: EXIT.unreachable, out: '' });
      for (const text of ['nothing was created on the hub', value, 'check --cluster-context']) expect(ran.note).toContain(text);
      const printed = await world.outrigger('join', 'edge5', option, value);
      expect(printed).toMatchObject({ code: EXIT.usage, note: expect.stringContaining('without --apply') as string });
    }
    expect((await world.fleet.hub.list(managedClusters)).items.map(({ metadata }) => metadata.name)).toEqual(['cluster1']);
  });

  it.each([
    [['console'], '--port'],
    [['hub', '--metrics-port', '0', '--webhook-url', 'https://127.0.0.1:1'], '--webhook-port'],
    [['hub'], '--metrics-port'],
  ])('%j on a port that is taken names %s', async (command, option) => {
    const { port } = new URL(world.fleet.url);
    const ran = await world.outrigger(...command, option, port);
    expect(ran).toMatchObject({ code: EXIT.failed, note: `outrigger: port ${port} is taken: choose another ${option}\n` });
  });

  it('a hub without the kinds', async () => {
    for (const plural of ['clustermanagementaddons', 'managedclusteraddons'])
      await world.fleet.hub.delete(crds, { name: `${plural}.addon.open-cluster-management.io` });
    await world.eventually('the kinds are gone', async () => ((await world.outrigger('get', 'addons')).code === 0 ? undefined : true));
    await answersTheMistake(WITHOUT_KINDS, hub());
  });
});
