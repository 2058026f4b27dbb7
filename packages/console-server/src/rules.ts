import type { ManifestDiff, PlanForecast } from '@outrigger/console-contract';
import type { Client } from '@outrigger/kube';

type Manifest = Readonly<Record<string, unknown>>;

/** Rules of the command line that views use. They are passed in, so that each rule is implemented only once. */
export interface ConsoleRules {
  /** The manifest with the contents of Secrets replaced by digests. */
  redact(manifest: Manifest): Manifest;
  /** The manifests that differ, with their differing lines, as in `outrigger diff`; the contents of Secrets are replaced by digests. */
  diff(before: readonly Manifest[], after: readonly Manifest[]): readonly ManifestDiff[];
  /** The forecast of `outrigger plan` for a rollback, from one listing of the hub with the rights of the client's user. */
  plan(client: Client, change: { readonly addOn: string; readonly revision: number; readonly from: number }): Promise<PlanForecast>;
}
