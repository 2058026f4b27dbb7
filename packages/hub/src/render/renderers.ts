/**
 * What a renderer does that another one does not. Everything else is common to all of them. A revision names the number of its renderer, so
 * that an upgrade of the manager changes no bytes on a cluster: the difference between two numbers is the difference between two rows.
 */
export interface Renderer {
  readonly number: number;
  /** The workloads whose pods get env, mounts, node placement, registries, proxy and resources, as `group/Kind`. */
  readonly decoratedKinds: ReadonlySet<string>;
  /** Written into injected volumes; undefined leaves the mode to the API server's default. */
  readonly volumeMode: number | undefined;
  /** `always`: each preset variable. `where set`: HUB_KUBECONFIG with a registration, INSTALL_NAMESPACE where a deployment config names one. */
  readonly presetEnv: 'always' | 'where set';
  /** Whether the agent is asked for the status of workloads that the template scales to zero. */
  readonly hasFeedbackAtZeroReplicas: boolean;
  /** Whether two manifests of one object are an error. Without it the last one wins. */
  readonly refusesRepeatedObjects: boolean;
}

const FIRST: Renderer = {
  number: 1,
  decoratedKinds: new Set(['apps/Deployment', 'apps/DaemonSet', 'apps/StatefulSet', 'batch/Job', 'batch/CronJob']),
  volumeMode: 0o644,
  presetEnv: 'always',
  hasFeedbackAtZeroReplicas: false,
  refusesRepeatedObjects: false,
};

/** Renders like upstream where pods would notice; init containers, StatefulSets and CronJobs are the exceptions. */
const SECOND: Renderer = {
  number: 2,
  // The pod template of a Job is immutable: a Job gets variables and nothing else.
  decoratedKinds: new Set(['apps/Deployment', 'apps/DaemonSet', 'apps/StatefulSet', 'batch/CronJob']),
  volumeMode: undefined,
  presetEnv: 'where set',
  hasFeedbackAtZeroReplicas: true,
  refusesRepeatedObjects: true,
};

/** The last two, oldest first. A third one replaces the first. */
export const RENDERERS: readonly [Renderer, Renderer] = [FIRST, SECOND];

/** The number of new revisions. Raised whenever an unchanged input would render to other bytes. */
export const NEWEST_RENDERER: number = RENDERERS[1].number;

/** The renderer of a revision. One that is not in the code any more, or not yet, gives way to the nearest that is. */
export function rendererOf(number: number): Renderer {
  return RENDERERS.find((renderer) => renderer.number >= number) ?? RENDERERS[1];
}
