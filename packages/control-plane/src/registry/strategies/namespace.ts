import { validateDns1123Label, type KubeObject } from '@outrigger/core';
import { fieldError } from '@outrigger/core/schema';
import { ensureFields, fieldsOf, type Draft } from '../draft.js';
import type { Strategy } from '../resource.js';

const NAME_LABEL = 'kubernetes.io/metadata.name';
const FINALIZER = 'kubernetes';

/**
 * The rules of namespaces. A namespace is removed when its controller has deleted its content and removed the `kubernetes` finalizer from
 * its spec.
 */
export const namespaceStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  returnsDeletedObject: true,
  validateName: (name) => validateDns1123Label(name),
  setDefaults(draft) {
    const { name } = draft.metadata;
    if (name) draft.metadata.labels = { ...draft.metadata.labels, [NAME_LABEL]: name };
  },
  prepareForCreate(draft) {
    draft['status'] = { phase: 'Active' };
    const spec = ensureFields(draft, 'spec');
    const finalizers = Array.isArray(spec['finalizers']) ? (spec['finalizers'] as string[]) : [];
    spec['finalizers'] = finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER];
  },
  prepareForUpdate(draft, old, subresource) {
    // The finalizers in the spec change only through `finalize`, and `finalize` changes no other field. The spec is copied, because on a
    // status write the draft shares the stored spec.
    if (subresource !== 'finalize') draft['spec'] = { ...fieldsOf(draft, 'spec'), finalizers: fieldsOf(old, 'spec')['finalizers'] };
    else draft['status'] = (old as unknown as Draft)['status'];
  },
  validateUpdate(draft, old, subresource) {
    if (subresource !== 'status') return [];
    const { phase } = fieldsOf(draft, 'status');
    const wanted = old.metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating';
    if (phase === wanted) return [];
    const when = wanted === 'Active' ? 'is empty' : 'is not empty';
    return [fieldError.invalid('status.Phase', phase ?? '', `may only be '${wanted}' if \`deletionTimestamp\` ${when}`)];
  },
  markDeleting(draft) {
    draft['status'] = { ...fieldsOf(draft, 'status'), phase: 'Terminating' };
  },
  mayBeRemoved: (object: KubeObject) => {
    const finalizers = fieldsOf(object, 'spec')['finalizers'];
    return !Array.isArray(finalizers) || finalizers.length === 0;
  },
};
