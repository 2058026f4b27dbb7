import { type ManifestWork, manifestWorks } from '@outrigger/api';
import { type Condition, type JsonObject, type Runtime, guessPlural, isApiError, parseApiVersion, toTime } from '@outrigger/core';
import { type Client, reflect } from '@outrigger/kube';

export interface Obedience {
  /** Whether the agent reports the manifests of this work as applied and available. By default it does so for all works. */
  readonly isUp?: (work: ManifestWork) => boolean;
  /**
   * The time between the agent's report that a work is applied and its report that the work is available. By default the agent sends both
   * reports at once.
   */
  readonly upAfterMs?: number;
}

/**
 * Starts a stand-in agent that reports every work as applied and every workload as available, without a cluster. Returns a function that
 * stops the agent.
 */
export function obedientAgent(hub: Client, runtime: Runtime, obedience: Obedience = {}): () => Promise<void> {
  const scope = runtime.scope.child('obedient agent');
  const ended = follow(hub, runtime, scope.signal, obedience);
  return async () => {
    scope.close();
    await ended;
  };
}

async function follow(hub: Client, runtime: Runtime, signal: AbortSignal, obedience: Obedience): Promise<void> {
  const { isUp = () => true, upAfterMs = 0 } = obedience;
  const reports = new Set<Promise<void>>();
  for await (const event of reflect({ client: hub, runtime, kind: manifestWorks }, signal)) {
    if (event.type !== 'Apply' && event.type !== 'InitApply') continue;
    const work = event.object;
    const isReported = work.status?.conditions?.every(({ observedGeneration }) => observedGeneration === work.metadata.generation);
    if (work.metadata.deletionTimestamp || (work.status?.conditions?.length && isReported) || !isUp(work)) continue;
    const sent = (upAfterMs > 0 ? inSteps(hub, runtime, work, upAfterMs) : report(hub, work, UP, toTime(runtime.clock.now()))).finally(() =>
      reports.delete(sent),
    );
    reports.add(sent);
  }
  await Promise.all(reports);
}

type Feedback = Readonly<Record<string, Readonly<Record<string, number | string>>>>;

/** Reports the manifests as applied first, and their feedback later. */
async function inSteps(hub: Client, runtime: Runtime, work: ManifestWork, upAfterMs: number): Promise<void> {
  await report(hub, work, {}, toTime(runtime.clock.now()));
  await runtime.timers.sleep(upAfterMs);
  await report(hub, work, UP, toTime(runtime.clock.now()));
}

async function report(hub: Client, work: ManifestWork, feedback: Feedback, now: string): Promise<void> {
  const generation = work.metadata.generation ?? 0;
  const condition = (type: string, reason: string): Condition => ({
    type,
    status: 'True',
    reason,
    message: '',
    lastTransitionTime: now,
    observedGeneration: generation,
  });
  const manifests = (work.spec.workload?.manifests ?? []).map((manifest, ordinal) =>
    manifestStatus(manifest as unknown as JsonObject, ordinal, feedback, now),
  );
  const status = {
    conditions: [condition('Applied', 'AppliedManifestWorkComplete'), condition('Available', 'ResourcesAvailable')],
    resourceStatus: { manifests },
  };
  const { name = '', namespace = '' } = work.metadata;
  try {
    const patch = { status: status as unknown as JsonObject };
    await hub.patch(manifestWorks, { name, namespace }, { type: 'merge', patch }, { subresource: 'status' });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

const UP: Feedback = {
  Deployment: {
    Generation: 1,
    ObservedGeneration: 1,
    DesiredReplicas: 1,
    Replicas: 1,
    ReadyReplicas: 1,
    AvailableReplicas: 1,
    UpdatedReplicas: 1,
    AvailableCondition: 'True',
  },
  DaemonSet: { DesiredNumberScheduled: 1, NumberReady: 1, NumberAvailable: 1, UpdatedNumberScheduled: 1 },
  Job: { JobComplete: 'True', JobSucceeded: 1 },
};

function manifestStatus(manifest: JsonObject, ordinal: number, feedback: Feedback, now: string): JsonObject {
  const kind = String(manifest['kind']);
  const metadata = manifest['metadata'] as { readonly name?: string; readonly namespace?: string };
  const { group, version } = parseApiVersion(String(manifest['apiVersion']));
  const values = Object.entries(feedback[kind] ?? {}).map(([name, value]) => ({
    name,
    fieldValue: typeof value === 'number' ? { type: 'Integer', integer: value } : { type: 'String', string: value },
  }));
  return {
    resourceMeta: {
      ordinal,
      group,
      version,
      kind,
      resource: guessPlural(kind),
      name: metadata.name ?? '',
      namespace: metadata.namespace ?? '',
    },
    ...(values.length > 0 ? { statusFeedback: { values } } : {}),
    conditions: [{ type: 'Applied', status: 'True', reason: 'AppliedManifestComplete', message: '', lastTransitionTime: now }],
  };
}
