import {
  ADDON_NAME_LABEL,
  ADDON_VERSION_LABEL,
  CONFIG_SPEC_HASH_ANNOTATION,
  type DeleteOption,
  type ManifestWork,
  RENDER_INPUTS_ANNOTATION,
  WORK_INSTALL_NAMESPACE_ANNOTATION,
  WRITTEN_ANNOTATION,
  deployWorkName,
  manifestBytes,
  manifestWorks,
} from '@outrigger/api';
import { type JsonObject, type OwnerReference, asJson, apiVersionOf, guessPlural, objectOrEmpty } from '@outrigger/core';
import type { Renderer } from '../render/renderers.js';
import { groupOf } from '../manifests/workloads.js';
import type { WorkProjection } from './work-projection.js';
import { probesOf } from './feedback.js';
import { isPreDeleteHook, staysBehind } from '../manifests/hooks.js';
import { manifestId } from './identity.js';
import { manifestConfigs } from './manifest-configs.js';
import { type PlacedWork, type SizedManifest, splitIntoWorks } from './split.js';
import { withExistingPodTemplate } from './existing-jobs.js';
import { formatNote, generationAfter, isUntouched, workContent, workTreatment } from './written.js';

/** The inputs for an add-on's works on one cluster. */
export interface WorkInput {
  readonly addOnName: string;
  readonly cluster: string;
  readonly renderer: Renderer;
  readonly version: string;
  readonly configSpecHash: string | undefined;
  readonly renderInputs: string;
  readonly installNamespace: string;
  readonly owner: OwnerReference;
  readonly manifests: readonly JsonObject[];
  /** The template's own options for its manifests. */
  readonly authored: {
    readonly manifestConfigs?: readonly JsonObject[];
    readonly deleteOption?: DeleteOption;
    readonly executor?: unknown;
  };
}

/** Returns the index of a deploy work of this add-on; undefined for any other name, also for one with an index that begins with zeros. */
export function deployWorkIndex(addOnName: string, workName: string): number | undefined {
  const prefix = `addon-${addOnName}-deploy-`;
  const index = workName.startsWith(prefix) ? workName.slice(prefix.length) : '';
  return /^(0|[1-9]\d*)$/.test(index) ? Number(index) : undefined;
}

/** Returns the deploy works that an add-on needs, based on the works that exist. */
export function desiredWorks(input: WorkInput, existing: readonly WorkProjection[]): readonly ManifestWork[] {
  const jobs = new Map(
    existing.filter(({ isDeleting }) => !isDeleting).flatMap((work) => work.jobs.map((job) => [job.id, job.podTemplate])),
  );
  const manifests = input.manifests
    .filter((manifest) => !isPreDeleteHook(manifest))
    .map((manifest) => sized(withExistingPodTemplate(manifest, jobs)));
  const placed = existing.flatMap((work): PlacedWork[] => {
    const index = deployWorkIndex(input.addOnName, work.key.name);
    // Include works that are being deleted, so that their manifests stay with them and do not move to another work while the agent is
    // still removing the objects.
    return index === undefined ? [] : [{ index, ids: work.manifestIds }];
  });
  const shares = splitIntoWorks(manifests, placed);
  const spec = sharedSpec(input);
  const treatment = workTreatment(spec);
  const byName = new Map(existing.map((one) => [one.key.name, one]));
  return shares.map((share) => {
    const name = deployWorkName(input.addOnName, share.index);
    const own = share.manifests.map(({ manifest }) => manifest);
    const content = workContent(own, input.installNamespace);
    const generation = generationAfter(byName.get(name), content, treatment);
    return work(input, name, own, spec, formatNote({ content, works: shares.length, generation }));
  });
}

function work(input: WorkInput, name: string, manifests: readonly JsonObject[], spec: JsonObject, written: string): ManifestWork {
  return {
    apiVersion: apiVersionOf(manifestWorks),
    kind: 'ManifestWork',
    metadata: {
      name,
      namespace: input.cluster,
      labels: { [ADDON_NAME_LABEL]: input.addOnName, ...(input.version === '' ? {} : { [ADDON_VERSION_LABEL]: input.version }) },
      annotations: {
        ...(input.configSpecHash === undefined ? {} : { [CONFIG_SPEC_HASH_ANNOTATION]: input.configSpecHash }),
        [RENDER_INPUTS_ANNOTATION]: input.renderInputs,
        [WORK_INSTALL_NAMESPACE_ANNOTATION]: input.installNamespace,
        [WRITTEN_ANNOTATION]: written,
      },
      ownerReferences: [input.owner],
    },
    spec: { workload: { manifests }, ...spec },
  } as unknown as ManifestWork;
}

/** The options for manifests. Every work of an add-on has the same options, which also cover the manifests in the other works. */
function sharedSpec({ renderer, manifests, authored }: WorkInput): JsonObject {
  // Leave out pre-delete hooks, which get a work of their own.
  const deployed = manifests.filter((manifest) => !isPreDeleteHook(manifest));
  const workloads = probesOf(deployed).filter(({ isIdle }) => !isIdle || renderer.hasFeedbackAtZeroReplicas);
  const configs = manifestConfigs(authored.manifestConfigs ?? [], workloads);
  const deleteOption = withOrphans(authored.deleteOption, manifests.filter(staysBehind));
  return {
    ...(deleteOption ? { deleteOption: asJson(deleteOption) } : {}),
    ...(configs.length > 0 ? { manifestConfigs: configs } : {}),
    ...(authored.executor ? { executor: authored.executor as JsonObject } : {}),
  };
}

/** Returns the add-on author's delete option, extended by the manifests whose annotation says that they stay on the cluster. */
function withOrphans(authored: DeleteOption | undefined, orphans: readonly JsonObject[]): DeleteOption | undefined {
  if (orphans.length === 0 || authored?.propagationPolicy === 'Orphan') return authored;
  const rules = orphans.map((manifest) => {
    const metadata = objectOrEmpty(manifest['metadata']) as { name?: string; namespace?: string };
    const place = metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
    return { group: groupOf(manifest), resource: guessPlural(String(manifest['kind'])), name: metadata.name ?? '', ...place };
  });
  return {
    ...authored,
    propagationPolicy: 'SelectivelyOrphan',
    selectivelyOrphans: { orphaningRules: [...(authored?.selectivelyOrphans?.orphaningRules ?? []), ...rules] },
  };
}

function sized(manifest: JsonObject): SizedManifest & { readonly manifest: JsonObject } {
  return { id: manifestId(manifest), size: manifestBytes([manifest]), manifest };
}

/** Whether the existing works were written for exactly these inputs and have not changed since. */
export function isUpToDate(
  works: readonly WorkProjection[],
  input: Pick<WorkInput, 'renderInputs' | 'version' | 'configSpecHash' | 'owner'>,
): boolean {
  return (
    works.length > 0 &&
    works.every(
      (projection) =>
        projection.renderInputs === input.renderInputs &&
        projection.version === input.version &&
        projection.configSpecHash === input.configSpecHash &&
        projection.ownerUid === input.owner.uid &&
        isUntouched(projection, works.length) &&
        !projection.isDeleting,
    )
  );
}
