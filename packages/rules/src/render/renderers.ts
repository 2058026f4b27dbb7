/**
 * The settings in which renderers differ. A revision records the number of its renderer, so that an upgrade of the manager changes no bytes
 * on a cluster.
 */
export interface Renderer {
  readonly number: number;
  /** The workloads whose pods get env, mounts, node placement, registries, proxy and resources, as `group/Kind`. */
  readonly decoratedKinds: ReadonlySet<string>;
  /** The mode of injected volumes; undefined means the API server's default. */
  readonly volumeMode: number | undefined;
  /**
   * `always`: every preset variable. `where set`: HUB_KUBECONFIG if there is a registration, and INSTALL_NAMESPACE if a deployment config
   * sets the namespace.
   */
  readonly presetEnv: 'always' | 'where set';
  /** Whether works request feedback on workloads that the template scales to zero. */
  readonly hasFeedbackAtZeroReplicas: boolean;
  /** Whether two manifests of the same object are an error. Otherwise the last manifest wins. */
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

/** Renders pods as upstream does, except for init containers, StatefulSets and CronJobs. */
const SECOND: Renderer = {
  number: 2,
  // The pod template of a Job is immutable, so nothing is injected into it; only variables in its manifest are replaced.
  decoratedKinds: new Set(['apps/Deployment', 'apps/DaemonSet', 'apps/StatefulSet', 'batch/CronJob']),
  volumeMode: undefined,
  presetEnv: 'where set',
  hasFeedbackAtZeroReplicas: true,
  refusesRepeatedObjects: true,
};

/** The two most recent renderers, oldest first. A new renderer replaces the oldest one. */
export const RENDERERS: readonly [Renderer, Renderer] = [FIRST, SECOND];

/** The renderer number of new revisions. It is increased when the same input would produce different bytes. */
export const NEWEST_RENDERER: number = RENDERERS[1].number;

/** Returns the renderer of a revision, or the nearest one if this version of the code no longer includes that renderer. */
export function rendererOf(number: number): Renderer {
  return RENDERERS.find((renderer) => renderer.number >= number) ?? RENDERERS[1];
}
