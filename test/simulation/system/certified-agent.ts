import { type JoiningAgent, createJoiningAgent } from '@outrigger/agent';
import { managedClusters } from '@outrigger/api';
import { isConditionTrue } from '@outrigger/core';
import { createJoinToken } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import type { Faults } from '@outrigger/kube/testing';
import { giveBootstrap } from '../../integration/identity/scenario.js';
import type { RestartableServer } from '../../world/restartable-server.js';
import { SimulatedProcess } from '../../world/simulated-process.js';
import type { SimulatedWorld } from '../../world/simulated.js';

/** The lifetime of certificates until the agent leaves: the shortest that a server issues. */
const SHORT_SECONDS = 600;
/** The time from the return of the agent until a user notices that it must join again. */
const NOTICED_MS = 20_000;
const HUB_URL = 'https://hub';

export interface CertifiedAgentOptions {
  readonly world: SimulatedWorld;
  readonly cluster: string;
  readonly hubServer: RestartableServer;
  /** A client for the hub with the identity of a user. */
  readonly hub: Client;
  /** The server of the cluster. */
  readonly server: RestartableServer;
  readonly network: Faults;
  readonly evictionGraceMs: number;
}

/** The agent of a cluster that joins the hub as it ships: with a token first, and then with a certificate that can expire. */
export class CertifiedAgent {
  readonly process: SimulatedProcess;
  readonly #options: CertifiedAgentOptions;
  #agent: JoiningAgent | undefined;
  #certificateSeconds: number | undefined = SHORT_SECONDS;
  /** The time at which all certificates of the agent have expired; undefined while the agent is not away. */
  #expiredAt: number | undefined;

  constructor(options: CertifiedAgentOptions) {
    const { world, cluster, hubServer, server, network, evictionGraceMs } = options;
    this.#options = options;
    this.process = new SimulatedProcess(world.simulator, `agent-${cluster}`, (runtime) => {
      const agent = createJoiningAgent({
        runtime,
        cluster: server.client(runtime, network),
        clusterName: cluster,
        agentName: 'agent',
        ...(this.#certificateSeconds === undefined ? {} : { settings: { certificateSeconds: this.#certificateSeconds } }),
        work: { evictionGraceMs },
        connectHub: (config) => hubServer.connect(config, runtime, network),
      });
      this.#agent = agent;
      return agent;
    });
  }

  /** Lets the cluster join, or join again, as a user does with `outrigger join`. */
  async join(): Promise<void> {
    const { world, cluster, hub, hubServer, server } = this.#options;
    const { status } = await hub.get(managedClusters, { name: cluster });
    const again = isConditionTrue(status?.conditions, 'ManagedClusterJoined');
    const { token } = await createJoinToken({ client: hub, runtime: world.person, cluster, again });
    await giveBootstrap({ cluster: server.client(), hubServer: HUB_URL, hubCa: hubServer.authority }, { token });
  }

  /** Ends the agent until `comeBack`. */
  leave(): void {
    this.process.leave();
    this.#expiredAt ??= this.#options.world.simulator.now + SHORT_SECONDS * 1000;
  }

  /** Starts an agent that has left again, but not before its certificate has expired. Then a user lets the cluster join again. */
  async comeBack(): Promise<void> {
    if (this.#expiredAt === undefined) return;
    const { simulator, person } = this.#options.world;
    await person.timers.sleep(Math.max(0, this.#expiredAt - simulator.now));
    this.#expiredAt = undefined;
    // The next certificate is valid for longer than the rest of the run, so that nothing is renewed while the hub must write nothing.
    this.#certificateSeconds = undefined;
    this.process.comeBack();
    await person.timers.sleep(NOTICED_MS);
    await this.join();
  }

  get hasJoined(): boolean {
    return this.#agent?.phase === 'joined';
  }
}
