import { type AgentSettings, BOOTSTRAP_SECRET_NAME } from '@outrigger/agent';
import {
  AGENT_IDENTITY_ANNOTATION,
  AGENT_NAMESPACE,
  type CertificateSigningRequest,
  type ManagedClusterAddOn,
  certificateSigningRequests,
  leases,
  managedClusterAddOns,
  managedClusters,
  namespaces,
  secrets,
} from '@outrigger/api';
import { type ApiRequest, conditionStatus, findCondition, parseTime } from '@outrigger/core';
import { readCertificate } from '@outrigger/core/x509';
import { describe, expect, it } from 'vitest';
import { acceptCluster } from './bootstrap-rights.js';
import {
  CLUSTER,
  type IdentityWorld,
  addOnConditionIs,
  announced,
  clusterConditionIs,
  createAddOn,
  giveBootstrap,
  joined,
  renewLease,
  sayLeaseMode,
  tellsAboutItself,
} from './scenario.js';
import { type AgentProcess, VirtualWorld } from './world.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('identity under failures', () => {
  interface Joined {
    readonly world: VirtualWorld;
    readonly story: IdentityWorld;
    readonly process: AgentProcess;
  }

  /** Starts a cluster and waits until it has joined and is available. */
  async function joinedWorld(seed: number, settings: AgentSettings = {}): Promise<Joined> {
    const world = await VirtualWorld.start(seed);
    world.startManager();
    const { story, process } = await world.run(world.join(CLUSTER, settings));
    return { world, story, process };
  }

  async function requestsOn(world: VirtualWorld): Promise<readonly CertificateSigningRequest[]> {
    return (await world.hub.list(certificateSigningRequests)).items;
  }

  async function certificateOf({ world, story }: Joined): Promise<Awaited<ReturnType<typeof readCertificate>>> {
    const secret = await joined(story);
    return readCertificate(world.person.keys, atob(secret.data?.['tls.crt'] ?? ''));
  }

  async function leaseAge({ world }: Joined): Promise<number> {
    const lease = await world.hub.get(leases, { name: 'managed-cluster-lease', namespace: CLUSTER });
    return world.hubRuntime.clock.now() - (parseTime(lease.spec?.renewTime) ?? 0);
  }

  it('renews its certificate before it ends, goes over to it without a pause, and works on after the old one has ended', async () => {
    const run = await joinedWorld(11, { certificateSeconds: 600 });
    const { world, process } = run;
    const first = await world.run(certificateOf(run));
    await world.simulator.advance(5.5 * MINUTE);
    expect((await world.run(certificateOf(run))).fingerprint).toBe(first.fingerprint);
    await world.simulator.advance(3 * MINUTE);
    const second = await world.run(certificateOf(run));
    expect(second.fingerprint).not.toBe(first.fingerprint);
    await world.simulator.advance(4 * MINUTE);
    expect(await world.run(leaseAge(run))).toBeLessThan(2 * MINUTE);
    expect(process.agent.phase).toBe('joined');
    expect(await world.run(clusterConditionIs(run.story, 'ClusterCertificateRotated', 'True'))).toMatchObject({
      message: expect.stringMatching(/^client certificate rotated starting from 2026-.* to 2026-/) as string,
    });
  });

  it('comes back with the key it kept when its certificate ended while it was cut off', async () => {
    const run = await joinedWorld(12, { certificateSeconds: 600 });
    const { world, process } = run;
    const first = await world.run(certificateOf(run));
    process.faults.dropBefore = 1;
    process.faults.breakWatch = 1;
    await world.simulator.advance(12 * MINUTE);
    expect(process.agent.phase).toBe('joining');
    process.faults.dropBefore = 0;
    process.faults.breakWatch = 0;
    await world.run(
      run.story.eventually('a new certificate', async () =>
        (await certificateOf(run)).fingerprint === first.fingerprint ? undefined : true,
      ),
    );
    await world.simulator.advance(2 * MINUTE);
    expect(process.agent.phase).toBe('joined');
    expect(await world.run(leaseAge(run))).toBeLessThan(2 * MINUTE);
    expect((await world.run(certificateOf(run))).publicKey.spki).toEqual(first.publicKey.spki);
  });

  it('finds its certificate expired when it starts, and joins again', async () => {
    const run = await joinedWorld(13, { certificateSeconds: 600 });
    const first = await run.world.run(certificateOf(run));
    run.process.crash();
    await run.world.simulator.advance(12 * MINUTE);
    await run.world.run(run.world.startAgent(CLUSTER, { certificateSeconds: 600 }));
    await run.world.run(
      run.story.eventually('a new certificate', async () =>
        (await certificateOf(run)).fingerprint === first.fingerprint ? undefined : true,
      ),
    );
  });

  it('continues after a restart without its bootstrap kubeconfig, and joins again when it is restored', async () => {
    const run = await joinedWorld(15, { certificateSeconds: 600 });
    const { world, story, process } = run;
    process.crash();
    await world.run(story.cluster.delete(secrets, { namespace: AGENT_NAMESPACE, name: BOOTSTRAP_SECRET_NAME }));
    const second = await world.run(world.startAgent(CLUSTER, { certificateSeconds: 600 }));
    await world.run(tellsAboutItself(story, 'zone', 'a'));
    second.crash();
    await world.simulator.advance(11 * MINUTE);
    const third = await world.run(world.startAgent(CLUSTER, { certificateSeconds: 600 }));
    await world.simulator.advance(MINUTE);
    expect(third.agent.phase).toBe('joining');
    await world.run(giveBootstrap(story, { token: 'joiner' }));
    await world.run(tellsAboutItself(story, 'rack', 'b'));
    expect(third.agent.phase).toBe('joined');
  });

  it('continues after the network was cut for ten minutes, without a new certificate request', async () => {
    const run = await joinedWorld(14);
    const { world, process } = run;
    const before = (await world.run(requestsOn(world))).length;
    process.faults.dropBefore = 1;
    process.faults.breakWatch = 1;
    await world.simulator.advance(10 * MINUTE);
    process.faults.dropBefore = 0;
    process.faults.breakWatch = 0;
    await world.simulator.advance(6 * MINUTE);
    expect(process.agent.phase).toBe('joined');
    expect(await world.run(leaseAge(run))).toBeLessThan(2 * MINUTE);
    expect((await world.run(requestsOn(world))).length).toBe(before);
  });

  it.each([1, -1])('AT-48 neither renews nor loses anything when the clock of the agent jumps by %i h', async (hours) => {
    const run = await joinedWorld(15 + hours, { certificateSeconds: 600 });
    const { world, story, process } = run;
    const first = await world.run(certificateOf(run));
    await world.run(createAddOn(story, 'leased', {}));
    await world.run(sayLeaseMode(story, 'leased'));
    await world.run(renewLease(story, 'leased'));
    await world.run(addOnConditionIs(story, 'leased', 'Available', 'True'));
    const requests = (await world.run(requestsOn(world))).length;
    process.runtime.skew(hours * HOUR);
    for (let minute = 0; minute < 4; minute++) {
      await world.simulator.advance(MINUTE);
      await world.run(renewLease(story, 'leased'));
      const clusterAddOn = await world.run(world.hub.get(managedClusterAddOns, { namespace: CLUSTER, name: 'leased' }));
      // If the agent's clock went back, the renewals of the cluster's lease look old, and the hub reports Unknown. The agent must not report
      // that the lease of the add-on is lost.
      expect(hours < 0 ? ['True', 'Unknown'] : ['True']).toContain(conditionStatus(clusterAddOn.status?.conditions, 'Available'));
    }
    expect(process.agent.phase).toBe('joined');
    expect((await world.run(certificateOf(run))).fingerprint).toBe(first.fingerprint);
    expect((await world.run(requestsOn(world))).length).toBe(requests);
    process.runtime.skew(-hours * HOUR);
    await world.run(addOnConditionIs(story, 'leased', 'Available', 'False'));
  });

  it.each([1, -1])('AT-48 loses no cluster and writes no more while the clock of the manager is wrong by %i h', async (hours) => {
    const world = await VirtualWorld.start(27 + hours);
    const traffic: ApiRequest[] = [];
    const writes = (): number =>
      traffic.splice(0).filter(({ method, path }) => method === 'PATCH' && path.includes('/managedclusters/')).length;
    const first = world.startManager(traffic);
    const { story } = await world.run(world.join());
    await world.simulator.advance(3 * MINUTE);
    writes();
    first.skew(hours * HOUR);
    await world.simulator.advance(12 * MINUTE);
    expect(writes(), 'a clock that jumps').toBe(0);
    await world.run(clusterConditionIs(story, 'ManagedClusterConditionAvailable', 'True'));

    first.crash();
    world.startManager(traffic).skew(hours * HOUR);
    await world.simulator.advance(12 * MINUTE);
    expect(writes(), 'a clock that is wrong from the start').toBeLessThan(10);
    await world.run(clusterConditionIs(story, 'ManagedClusterConditionAvailable', 'True'));
  });

  it('AT-08 refuses a second cluster under the same name, and leaves the first as it is', async () => {
    const run = await joinedWorld(17);
    const { world, story } = run;
    const first = await world.run(certificateOf(run));
    const recorded = await world.run(world.hub.get(namespaces, { name: CLUSTER }));
    const intruder = await world.story('intruder');
    await world.run(giveBootstrap(intruder, { token: 'joiner' }));
    const process = await world.run(world.startAgent('intruder'));
    await world.simulator.advance(30 * MINUTE);
    expect(process.agent.phase).toBe('joining');
    const denied = (await world.run(requestsOn(world)))
      .flatMap(({ status }) => status?.conditions ?? [])
      .filter(({ type }) => type === 'Denied');
    expect(denied.length).toBeGreaterThan(1);
    expect(denied.length).toBeLessThan(10);
    expect(denied[0]?.message).toContain('has joined with another key');
    expect((await world.run(certificateOf(run))).fingerprint).toBe(first.fingerprint);
    const now = await world.run(world.hub.get(namespaces, { name: CLUSTER }));
    expect(recorded.metadata.annotations).toHaveProperty([AGENT_IDENTITY_ANNOTATION]);
    expect(now.metadata.annotations).toEqual(recorded.metadata.annotations);
    expect(await world.run(leaseAge({ world, story, process: run.process }))).toBeLessThan(2 * MINUTE);
  });

  it('waits until a fleet admin accepts a cluster that joins without a trusted identity, and sends no second request meanwhile', async () => {
    const world = await VirtualWorld.start(18);
    world.startManager();
    const story = await world.story();
    await world.run(giveBootstrap(story, { token: 'stranger' }));
    const first = await world.run(world.startAgent());
    await world.run(announced(story));
    await world.run(acceptCluster(world.hub, CLUSTER));
    await world.simulator.advance(2 * MINUTE);
    const [pending, ...others] = await world.run(requestsOn(world));
    expect(others).toEqual([]);
    // After a restart the agent finds its stored key and continues with its earlier request.
    first.crash();
    await world.run(world.startAgent());
    await world.simulator.advance(2 * MINUTE);
    expect((await world.run(requestsOn(world))).map(({ metadata }) => metadata.name)).toEqual([pending?.metadata.name]);
    const condition = { type: 'Approved', status: 'True', reason: 'Person', message: 'by hand' };
    await world.run(
      world.hub.patch(
        certificateSigningRequests,
        { name: pending?.metadata.name ?? '' },
        { type: 'merge', patch: { status: { conditions: [condition] } } },
        { subresource: 'approval' },
      ),
    );
    await world.run(joined(story));
    await world.run(clusterConditionIs(story, 'ManagedClusterJoined', 'True'));
    const left = await world.run(story.cluster.list(secrets, { labelSelector: 'outrigger.dev/credential=pending' }));
    expect(left.items).toEqual([]);
  });

  it('AT-07 gets no further certificate once it is denied', async () => {
    const run = await joinedWorld(19, { certificateSeconds: 600 });
    const { world, story } = run;
    const first = await world.run(certificateOf(run));
    await world.run(world.hub.patch(managedClusters, { name: CLUSTER }, { type: 'merge', patch: { spec: { hubAcceptsClient: false } } }));
    await world.simulator.advance(11 * MINUTE);
    expect(run.process.agent.phase).toBe('joining');
    expect((await world.run(certificateOf(run))).fingerprint).toBe(first.fingerprint);
    const own = story.connect({ server: '', clientCertificate: { data: atob((await world.run(joined(story))).data?.['tls.crt'] ?? '') } });
    await expect(world.run(own.get(managedClusters, { name: CLUSTER }))).rejects.toMatchObject({ reason: 'Unauthorized' });
  });

  it.each([false, true])(
    'joins again when the hub does not take its certificate any more, restarted meanwhile: %s',
    async (isRestarted) => {
      const run = await joinedWorld(23);
      const { world, story } = run;
      const before = atob((await world.run(joined(story))).data?.['tls.crt'] ?? '');
      world.distrusted.add(before);
      if (isRestarted) {
        run.process.crash();
        await world.run(world.startAgent());
      }
      await world.run(
        story.eventually('another certificate', async () => {
          const now = atob((await joined(story)).data?.['tls.crt'] ?? '');
          return now === before ? undefined : true;
        }),
      );
      await world.simulator.advance(2 * MINUTE);
      expect(await world.run(leaseAge(run))).toBeLessThan(2 * MINUTE);
    },
  );

  it('follows its bootstrap kubeconfig to another address of the hub', async () => {
    const run = await joinedWorld(20);
    const { world, story, process } = run;
    await world.run(giveBootstrap(story, { token: 'joiner' }, 'https://other.example:6443'));
    await world.run(
      story.eventually('the new address', async () => {
        const secret = await joined(story);
        return atob(secret.data?.['kubeconfig'] ?? '').includes('https://other.example:6443') ? true : undefined;
      }),
    );
    await world.simulator.advance(2 * MINUTE);
    expect(process.agent.phase).toBe('joined');
    expect(await world.run(leaseAge(run))).toBeLessThan(2 * MINUTE);
  });

  it('AT-45 processes the requests of other clusters while one floods the hub with requests', async () => {
    const run = await joinedWorld(22);
    const { world, story } = run;
    const secret = await world.run(joined(story));
    const flooding = story.connect({ server: '', clientCertificate: { data: atob(secret.data?.['tls.crt'] ?? '') } });
    const copy = (await world.run(requestsOn(world)))[0] as CertificateSigningRequest;
    const { request, signerName } = copy.spec;
    const usages = ['client auth'];
    const labels = copy.metadata.labels ?? {};
    const flood = async (): Promise<void> => {
      for (let i = 0; i < 90; i++) {
        const name = `flood-${i}`;
        // The bytes of each request differ, so that the manager cannot reuse the result of one check for all of them.
        const bytes = btoa(`${' '.repeat(i)}\n${atob(request)}`);
        const spec = { request: bytes, signerName, usages };
        await flooding.create(certificateSigningRequests, {
          apiVersion: copy.apiVersion,
          kind: copy.kind,
          metadata: { name, labels },
          spec,
        });
      }
    };
    await world.run(flood());
    const other = await world.story('cluster2');
    await world.run(giveBootstrap(other, { token: 'joiner' }));
    await world.run(world.startAgent('cluster2', {}, 'cluster2'));
    await world.run(
      other.eventually('cluster2 is announced', async () => (await world.hub.list(managedClusters)).items.length === 2 || undefined),
    );
    const asked = world.simulator.now;
    await world.run(acceptCluster(world.hub, 'cluster2'));
    await world.run(joined(other));
    expect(world.simulator.now - asked).toBeLessThan(5_000);
    const decided = (await world.run(requestsOn(world))).filter(
      ({ metadata, status }) => metadata.name?.startsWith('flood-') && status?.conditions?.length,
    );
    expect(decided.length).toBeLessThan(75);
  });

  it('AT-35 a missing required dependency outranks a renewed lease, and hub and agent do not overwrite each other', async () => {
    const run = await joinedWorld(21);
    const { world, story } = run;
    await world.run(createAddOn(story, 'leased', {}));
    await world.run(sayLeaseMode(story, 'leased'));
    await world.run(renewLease(story, 'leased'));
    await world.run(addOnConditionIs(story, 'leased', 'Available', 'True'));
    const degrade = (status: 'True' | 'False', reason: string): Promise<void> => setDegraded(world, status, reason);
    await world.run(degrade('True', 'RequiredDependencyNotSatisfied'));
    const blocked = await world.run(addOnConditionIs(story, 'leased', 'Available', 'False'));
    expect(blocked).toMatchObject({
      reason: 'RequiredDependencyNotSatisfied',
      message: "Required addon 'x' is not installed or not available",
    });
    const settled = await world.run(world.hub.get(managedClusterAddOns, { namespace: CLUSTER, name: 'leased' }));
    for (let minute = 0; minute < 10; minute++) {
      await world.simulator.advance(MINUTE);
      await world.run(renewLease(story, 'leased'));
    }
    const later = await world.run(world.hub.get(managedClusterAddOns, { namespace: CLUSTER, name: 'leased' }));
    expect(later.metadata.resourceVersion).toBe(settled.metadata.resourceVersion);
    await world.run(degrade('True', 'DependencyNotSatisfied'));
    await world.run(addOnConditionIs(story, 'leased', 'Available', 'True'));
  });
});

async function setDegraded(world: VirtualWorld, status: 'True' | 'False', reason: string): Promise<void> {
  const key = { namespace: CLUSTER, name: 'leased' };
  const found: ManagedClusterAddOn = await world.hub.get(managedClusterAddOns, key);
  const message = "Required addon 'x' is not installed or not available";
  const degraded = { type: 'Degraded', status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
  const others = (found.status?.conditions ?? []).filter(({ type }) => type !== 'Degraded');
  expect(findCondition(others, 'Degraded')).toBeUndefined();
  await world.hub.patch(
    managedClusterAddOns,
    key,
    { type: 'merge', patch: { status: { conditions: [...others, degraded] as never } } },
    { subresource: 'status' },
  );
}
