import { readFile } from 'node:fs/promises';
import { ADDON_NAME_LABEL, addOnRollouts, managedClusters } from '@outrigger/api';
import { installSamples } from '@outrigger/cli';
import { type KubeObject, parseApiVersion, toTime } from '@outrigger/core';
import { parseYaml } from '@outrigger/core/yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_ROWS } from '../cli/mistakes/command-rows.js';
import { answersTheMistake } from '../cli/mistakes/commands.js';
import { ACCEPTED_MANIFESTS, REFUSED_MANIFESTS } from '../cli/mistakes/manifest-rows.js';
import { HUB_ROWS } from '../cli/mistakes/hub-rows.js';
import { SLIP_ROWS, uninstallationRow } from '../cli/mistakes/slip-rows.js';
import { applyFailureIsAnEvent, refusedRegistrationIsAnEvent, silenceAndReturnAreEvents } from '../cli/event-stories.js';
import { WHY_ADD_ON, type WhyWorld, whyReachesTheCauses } from '../cli/why-stories.js';
import { runCommand } from '../cli/world.js';
import { type KubeHub, startKubeHub } from './hub.js';

describe('a real API server refuses the mistakes of a new user', () => {
  let world: KubeHub;
  beforeAll(async () => {
    world = await startKubeHub({ agent: { isUp: ({ metadata }) => metadata.labels?.[ADDON_NAME_LABEL] !== WHY_ADD_ON } });
  });
  afterAll(() => world.stop());

  it.each(HUB_ROWS.filter(({ refused }) => refused !== undefined))('$mistake: $title', async ({ mistake, text = '', refused }) => {
    const [object] = parseYaml(text.replaceAll('NAME', `m${mistake}`)) as KubeObject[];
    if (!object) throw new Error('the row has no object');
    const kind = await world.hub.discovery.kindOf({ ...parseApiVersion(object.apiVersion), kind: object.kind });
    if (!kind) throw new Error(`the hub serves no ${object.kind}`);
    const applied = world.hub.apply(kind, object, { fieldManager: 'kubectl', fieldValidation: 'Strict' });
    await expect(applied).rejects.toThrow(refused);
  });

  describe('lint and the API server agree about manifests', () => {
    const create = async (manifest: string): Promise<unknown> => {
      const [object] = parseYaml(manifest) as KubeObject[];
      if (!object) throw new Error('the row has no object');
      const kind = await world.hub.discovery.kindOf({ ...parseApiVersion(object.apiVersion), kind: object.kind });
      if (!kind) throw new Error(`the API server serves no ${object.kind}`);
      return world.hub.create(kind, object, { dryRun: true, fieldValidation: 'Strict' });
    };
    it.each(REFUSED_MANIFESTS)('refuses $title', ({ manifest }) =>
      expect(create(manifest)).rejects.toMatchObject({ reason: expect.stringMatching(/^(Invalid|BadRequest)$/) as string }),
    );
    it.each(ACCEPTED_MANIFESTS)('accepts $title', ({ manifest }) => expect(create(manifest)).resolves.toBeDefined());
  });

  describe('commands, with the sample add-ons on one cluster', () => {
    beforeAll(async () => {
      await joinedCluster(world, 'cluster1');
      await installSamples(world.hub);
      await world.eventually('both samples are completed', async () => {
        const { items } = await world.hub.list(addOnRollouts);
        return items.length === 2 && items.every(({ status }) => status?.state === 'Completed' && status.done === 1) ? true : undefined;
      });
    });

    const previewed = uninstallationRow('nothing would be removed: no hub of Outrigger is installed there');
    it.each([...COMMAND_ROWS, ...SLIP_ROWS, previewed])('$title', async (row) => {
      await answersTheMistake(row, {
        runtime: world.runtime,
        admin: await readFile(world.kube.kubeconfigPath, 'utf8'),
        server: world.kube.url,
      });
    });
  });

  const asked = (): WhyWorld => ({
    hub: world.hub,
    outrigger: (...args) => runCommand(args, world.runtime, { KUBECONFIG: world.kube.kubeconfigPath }),
    eventually: (what, look) => world.eventually(what, look),
  });

  it('why ends at the causes, on one cluster and in the fleet', () => whyReachesTheCauses(asked()));

  it('a failure without output is an Event, once', async () => {
    const events = { ...asked(), now: () => world.runtime.clock.now() };
    await applyFailureIsAnEvent(events);
    await refusedRegistrationIsAnEvent(events);
    await silenceAndReturnAreEvents(events);
  });
});

/** Creates an accepted cluster with the conditions of one whose agent has joined. */
async function joinedCluster({ hub, runtime }: KubeHub, name: string): Promise<void> {
  await hub.create(managedClusters, {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name },
    spec: { hubAcceptsClient: true },
  });
  const conditions = ['ManagedClusterJoined', 'ManagedClusterConditionAvailable'].map((type) => ({
    type,
    status: 'True' as const,
    reason: 'Joined',
    message: '',
    lastTransitionTime: toTime(runtime.clock.now()),
  }));
  await hub.patch(managedClusters, { name }, { type: 'merge', patch: { status: { conditions } } }, { subresource: 'status' });
}
