import type { DeleteOption } from '@outrigger/api';
import type { ObjectRef } from '@outrigger/kube';

/** Whether an object is deleted with its work. This is the case unless `deleteOption` orphans the object. */
export function isOwned(option: DeleteOption | undefined, { kind, namespace, name }: ObjectRef): boolean {
  if (option?.propagationPolicy === 'Orphan') return false;
  if (option?.propagationPolicy !== 'SelectivelyOrphan') return true;
  const rules = option.selectivelyOrphans?.orphaningRules ?? [];
  return !rules.some(
    (rule) =>
      (rule.group ?? '') === kind.group && rule.resource === kind.plural && rule.name === name && (rule.namespace ?? '') === namespace,
  );
}
