import type { ManifestWork } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { configSpecHash } from '../../../configuration/references.js';
import { RENDERER } from '../../../render/render.js';
import type { WorkRecord } from '../../../resources/works.js';
import { contentDigest } from '../../../works/identity.js';
import { type WorkInput, desiredWorks, deployWorkIndex, isUpToDate } from '../../../works/desired.js';
import { addOnOwner } from '../owner.js';
import type { AddOnState } from '../state.js';
import type { EffectiveConfigs } from './configuration.js';
import { type TemplateInUse, renderAddOn } from './template.js';

/** What must happen to the works of an add-on. */
export type WorksPlan =
  /** Another manager renders this add-on. */
  | { readonly type: 'foreign' }
  /** Its turn has not come, or what it needs cannot be read: what runs goes on running. */
  | { readonly type: 'hold' }
  | { readonly type: 'problem'; readonly message: string }
  /** The works that stand are those the target calls for. */
  | { readonly type: 'current'; readonly installNamespace: string | undefined }
  | { readonly type: 'write'; readonly works: readonly ManifestWork[]; readonly installNamespace: string };

/** Decides what the works should be, rendering only if the inputs are not those the works were rendered from. */
export function planWorks(state: AddOnState, effective: EffectiveConfigs, version: string, template: TemplateInUse): WorksPlan {
  if (template.type === 'foreign') return { type: 'foreign' };
  const { addOn } = state;
  const hash = configSpecHash(effective.refs);
  const renderInputs = inputsDigest(state, hash ?? '', version);
  const deployed = deployWorks(state);
  const owner = addOnOwner(addOn);
  const isStanding = isUpToDate(deployed, { renderInputs, version, configSpecHash: hash, owner }) || isUpstreams(deployed, hash);
  const installNamespace = deployed[0]?.installNamespace ?? addOn.status.namespace;
  if (isStanding && installNamespace !== undefined) return { type: 'current', installNamespace };

  if (template.type === 'missing') return { type: 'hold' };
  if (template.type === 'problem') return { type: 'problem', message: template.message };
  const rendered = renderAddOn(state, effective, template);
  if (rendered.type === 'missing') return { type: 'hold' };
  if (rendered.type === 'problem') return { type: 'problem', message: rendered.message };
  if (isStanding) return { type: 'current', installNamespace: rendered.installNamespace };
  const input: WorkInput = {
    addOnName: addOn.key.name,
    cluster: addOn.key.namespace ?? '',
    version,
    configSpecHash: hash,
    renderInputs,
    installNamespace: rendered.installNamespace,
    owner,
    manifests: rendered.manifests,
    authored: template.spec.agentSpec as unknown as { manifestConfigs?: readonly JsonObject[] },
  };
  const works = desiredWorks(input, deployed);
  const isNothing = works.length === 0 && deployed.length === 0;
  return { type: isNothing ? 'current' : 'write', works, installNamespace: rendered.installNamespace };
}

/** Works under the names the manager gives; others that carry the add-on's label are not ours to change. */
export function deployWorks({ addOn, works }: Pick<AddOnState, 'addOn' | 'works'>): readonly WorkRecord[] {
  return works.filter((work) => deployWorkIndex(addOn.key.name, work.key.name) !== undefined);
}

/** Everything rendering looks at, configurations by their digests; equal digest, equal output. Taken in every pass, so it is a cheap one. */
function inputsDigest({ addOn, cluster }: AddOnState, configs: string, version: string): string {
  return contentDigest([
    RENDERER,
    addOn.key.name,
    addOn.key.namespace,
    addOn.uid,
    version,
    configs,
    addOn.spec.installNamespace,
    cluster?.imageRegistries,
  ]);
}

/** Works of an upstream manager with the same content keep their spec until something changes, so that a takeover re-rolls nothing. */
function isUpstreams(works: readonly WorkRecord[], hash: string | undefined): boolean {
  return works.length > 0 && works.every((work) => work.renderInputs === undefined && work.configSpecHash === hash && !work.isDeleting);
}
