import type { ManagedClusterClientConfig } from '@outrigger/api';
import type { Runtime, Transport, Metrics } from '@outrigger/core';
import type { Client, ConnectionConfig } from '@outrigger/kube';
import type { AgentOptions, AgentRoles } from '../agent.js';
import type { AgentSettings } from '../identity.js';
import type { SecretNames } from './own-spec.js';

/** A connection that can switch to other credentials while it is in use. */
export interface HubTransport extends Transport {
  update(config: ConnectionConfig): void;
}

export interface JoiningAgentOptions {
  readonly runtime: Runtime;
  /** The client for the managed cluster on which the agent runs. */
  readonly cluster: Client;
  readonly clusterName: string;
  readonly agentName: string;
  /** Opens a connection to the hub. It is called again when the agent joins another hub. */
  readonly connectHub: (config: ConnectionConfig) => HubTransport;
  /** The namespace in which the agent keeps its Secrets and finds its bootstrap kubeconfig. */
  readonly namespace?: string;
  readonly secretNames?: SecretNames;
  /**
   * The roles of this process. Defaults to all roles. With `work` alone, another process with the same Secrets joins and renews the
   * credential.
   */
  readonly roles?: AgentRoles;
  readonly settings?: AgentSettings;
  readonly work?: NonNullable<AgentOptions['work']>;
  /** The annotations of the ManagedCluster that the agent creates. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The labels of the ManagedCluster that the agent creates. If the hub rejects them, the agent creates it without labels. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly clientConfigs?: readonly ManagedClusterClientConfig[];
  readonly metrics?: Metrics;
}

export type JoinPhase = 'starting' | 'joining' | 'joined' | 'stopped';

export interface JoiningAgent {
  readonly phase: JoinPhase;
  /** Starts the agent and returns immediately. Failures are logged and retried for as long as the agent runs. */
  start(): void;
  stop(): Promise<void>;
}
