import { CLUSTER_EVENT_MESSAGES, manifestWorks } from '@outrigger/api';
import type { EventIntent } from '@outrigger/kube';
import { HUB } from '../resources/apis.js';
import type { ManifestState, WritableWork } from './state.js';
import { type Verdict, isAppliedAt } from './verdict.js';

/**
 * Returns Events for objects that were applied with the work's current content and have been changed or deleted since. There is no Event
 * for a write that a dry run may find unnecessary, or for a write that only takes ownership.
 */
export function driftEvents(state: WritableWork, verdicts: readonly Verdict[]): readonly EventIntent[] {
  const { key, uid } = state.work;
  return state.manifests.flatMap((manifest, index): readonly EventIntent[] => {
    const verdict = verdicts[index];
    if (verdict?.type !== 'write' || verdict.isDoubtful || verdict.write.type === 'owners' || !isAppliedAt(manifest, state)) return [];
    const change = manifest.live.state === 'absent' ? 'deleted' : 'changed';
    const message = CLUSTER_EVENT_MESSAGES.driftRepaired(objectName(manifest), change);
    return [{ api: HUB, regarding: { kind: manifestWorks, key, uid }, type: 'Normal', reason: 'DriftRepaired', message }];
  });
}

function objectName({ manifest, ref }: ManifestState): string {
  const { kind, metadata } = manifest.object;
  const namespace = ref?.namespace ?? metadata.namespace ?? '';
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${metadata.name ?? ''}`;
}
