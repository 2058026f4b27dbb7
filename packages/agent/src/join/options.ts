import type { ManagedClusterClientConfig } from '@outrigger/api';
import type { Runtime, Transport } from '@outrigger/core';
import type { Client, ConnectionConfig, Metrics } from '@outrigger/kube';
import type { AgentOptions, AgentRoles } from '../agent.js';
import type { AgentSettings } from '../identity.js';
import type { SecretNames } from './own-spec.js';

/** A connection that can go over to other credentials while it is in use. */
export interface HubTransport extends Transport {
  update(config: ConnectionConfig): void;
}

export interface JoiningAgentOptions {
  readonly runtime: Runtime;
  /** The managed cluster itself. */
  readonly cluster: Client;
  readonly clusterName: string;
  readonly agentName: string;
  /** Opens a connection to the hub; called again when the agent joins another one. */
  readonly connectHub: (config: ConnectionConfig) => HubTransport;
  /** Where the agent keeps its Secrets and finds its bootstrap kubeconfig. */
  readonly namespace?: string;
  readonly secretNames?: SecretNames;
  /** What this process does. Default: everything. `work` alone leaves joining and the credential to another process with the same Secrets. */
  readonly roles?: AgentRoles;
  readonly settings?: AgentSettings;
  readonly work?: NonNullable<AgentOptions['work']>;
  /** Sent with the ManagedCluster when it is first announced. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Sent likewise; a hub that refuses them gets the cluster without. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly clientConfigs?: readonly ManagedClusterClientConfig[];
  readonly metrics?: Metrics;
}

export type JoinPhase = 'starting' | 'joining' | 'joined' | 'stopped';

export interface JoiningAgent {
  readonly phase: JoinPhase;
  /** Begins; resolves at once. Failures are logged and tried again for as long as the agent runs. */
  start(): void;
  stop(): Promise<void>;
}
