import type { Action, Decision } from '@outrigger/kube';
import type { LeftBehindInput } from './left-behind.js';
import type { RecheckInput } from './recheck.js';
import type { ClusterMemory } from './state.js';

/** The effects of the clusters controller and their inputs. An input that is a plain string is the name of a cluster. */
export type ClusterEffects = {
  readonly 'confirm-gone': string;
  readonly 'look-again': RecheckInput;
  readonly 'namespace-stays': string;
  readonly 'no-works-left': string;
  readonly 'record-left-behind': LeftBehindInput;
};

export type ClusterAction = Action<ClusterEffects>;

export type LifecycleDecision = Decision<ClusterMemory, ClusterEffects>;
