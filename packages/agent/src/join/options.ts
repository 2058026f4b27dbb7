import type { ManagedClusterClientConfig } from '@outrigger/api';
import type { Runtime, Transport } from '@outrigger/core';
import type { Client, ConnectionConfig, Metrics } from '@outrigger/kube';
import type { AgentOptions } from '../agent.js';
import type { AgentSettings } from '../identity.js';

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
  /** Where the agent keeps its Secrets and finds `bootstrap-hub-kubeconfig`. */
  readonly namespace?: string;
  readonly settings?: AgentSettings;
  readonly work?: NonNullable<AgentOptions['work']>;
  /** Sent with the ManagedCluster when it is first announced. */
  readonly annotations?: Readonly<Record<string, string>>;
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
