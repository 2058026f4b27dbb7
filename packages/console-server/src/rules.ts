import type { ManifestDiff, PlanForecast } from '@outrigger/console-contract';
import type { Client } from '@outrigger/kube';

type Manifest = Readonly<Record<string, unknown>>;

/**
 * The functions of the command line that views use. The caller passes them in, so that the console and the command line share one
 * implementation.
 */
export interface ConsoleRules {
  /** The manifest with the contents of Secrets replaced by digests, at any depth, in copies and in the values that a work reports. */
  redact(manifest: Manifest): Manifest;
  /**
   * Returns the manifests that differ, with the lines that differ, as in `outrigger diff`. Replaces the contents of Secrets with digests.
   */
  diff(before: readonly Manifest[], after: readonly Manifest[]): readonly ManifestDiff[];
  /**
   * Returns the plan that `outrigger plan` computes for a rollback. Lists the hub's objects once, with the permissions of the client's
   * user. With thousands of clusters the computation takes seconds of processor time, so it must not block the caller's thread.
   */
  plan(client: Client, change: { readonly addOn: string; readonly revision: number; readonly from: number }): Promise<PlanForecast>;
}
