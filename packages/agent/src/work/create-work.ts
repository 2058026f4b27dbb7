import type { Runtime } from '@outrigger/core';
import type { Client, AnyController, Manager, Resource } from '@outrigger/kube';
import { LiveObjects } from '../live/live-objects.js';
import { type WorkRecord, works } from '../resources/works.js';
import { APPLIED_WORK_CONTROLLER, appliedWorkController } from './applied/controller.js';
import { Attempts } from './attempts.js';
import { WORK_CONTROLLER, workController } from './controller.js';
import { Permissions } from './executor/permissions.js';
import { ClusterKinds } from './kinds.js';
import { Contests } from './ownership/contests.js';
import { ReleaseProblems } from './ownership/release-problems.js';
import { parseOwner } from './refs.js';
import type { WorkTools } from './tools.js';

export interface WorkOptions {
  readonly runtime: Runtime;
  /** The managed cluster, with the agent's own rights. */
  readonly cluster: Client;
  readonly clusterName: string;
  /** The hub's address, exactly as in the agent's kubeconfig. */
  readonly hubServer: string;
  readonly agentId: string;
  /** How long the objects of a work stay after the work is missing on the hub. Default: an hour. */
  readonly evictionGraceMs?: number;
  /** Report a list or object as JSON if a feedback rule selects one. */
  readonly rawFeedbackJson?: boolean;
  /** The maximum length of a value that is reported as JSON; the API allows 1024 characters at most. */
  readonly maxJsonLength?: number;
  /** The most watches on the managed cluster at the same time. Default: 50. */
  readonly mostWatches?: number;
}

/** The part of an agent that applies works. */
export interface Work {
  readonly controllers: readonly AnyController[];
  readonly works: Resource<WorkRecord>;
  /** Sets the manager that queues passes; until then no change wakes a key. */
  attach(manager: Pick<Manager, 'enqueue'>): void;
  /** Ends its watches. */
  close(): void;
}

const DEFAULT_GRACE_MS = 3_600_000;
const API_MAX_JSON_LENGTH = 1024;

export function createWork(options: WorkOptions): Work {
  const { runtime, cluster, clusterName } = options;
  let manager: Pick<Manager, 'enqueue'> | undefined;

  function wake(owner: string): void {
    const { type, name } = parseOwner(owner);
    if (type === 'work') manager?.enqueue(WORK_CONTROLLER, { namespace: clusterName, name });
    else manager?.enqueue(APPLIED_WORK_CONTROLLER, { name });
  }

  const live = new LiveObjects({
    client: cluster,
    runtime,
    ...(options.mostWatches === undefined ? {} : { mostWatches: options.mostWatches }),
    changed: (owners) => {
      for (const owner of owners) wake(owner);
    },
  });
  const tools: WorkTools = {
    clusterName,
    hubServer: options.hubServer,
    agentId: options.agentId,
    evictionGraceMs: options.evictionGraceMs ?? DEFAULT_GRACE_MS,
    feedback: {
      isRawJsonAllowed: options.rawFeedbackJson ?? false,
      maxJsonLength: Math.min(options.maxJsonLength ?? API_MAX_JSON_LENGTH, API_MAX_JSON_LENGTH),
    },
    live,
    kinds: new ClusterKinds(cluster, runtime.clock),
    attempts: new Attempts(runtime.clock),
    permissions: new Permissions(cluster, runtime.clock),
    releaseProblems: new ReleaseProblems(),
    contests: new Contests(),
    wake,
  };
  const hubWorks = works(clusterName);
  return {
    works: hubWorks,
    controllers: [workController(hubWorks, tools), appliedWorkController(hubWorks, tools, runtime.clock)],
    attach(to) {
      manager = to;
    },
    close: () => live.close(),
  };
}
