import { ADDON_GROUP, PRE_DELETE_MANIFESTS_ANNOTATION, REVISION_ANNOTATION, WORK_GROUP, denyingPolicy, resourceRule } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';

/**
 * The annotations of ManagedClusterAddOns in which the manager stores the revision of a cluster and the manifests to apply before a
 * removal.
 */
const GUARDED: readonly string[] = [REVISION_ANNOTATION, PRE_DELETE_MANIFESTS_ANNOTATION];

const annotationsOf = (object: string): string =>
  `${object} == null || !has(${object}.metadata.annotations) ? {} : ${object}.metadata.annotations`;

/**
 * Returns a policy that protects the annotations of ManagedClusterAddOns from which the manager decides which ManifestWorks a cluster gets.
 * A user who may write a ManagedClusterAddOn may write its annotations too. Changing a protected annotation therefore requires the
 * permission to write ManifestWorks in the namespace. This is a ValidatingAdmissionPolicy, because it needs no running webhook.
 */
export function annotationGuard(): readonly KubeObject[] {
  const keys = `[${GUARDED.map((key) => `'${key}'`).join(', ')}]`;
  const isKept =
    '(key in variables.after) == (key in variables.before) && (!(key in variables.after) || variables.after[key] == variables.before[key])';
  const mayWriteWorks = `authorizer.group('${WORK_GROUP}').resource('manifestworks').namespace(object.metadata.namespace).check('update').allowed()`;
  return denyingPolicy('outrigger-add-on-annotations', {
    matchConstraints: { resourceRules: [resourceRule(ADDON_GROUP, ['managedclusteraddons'], ['CREATE', 'UPDATE'])] },
    variables: [
      { name: 'before', expression: annotationsOf('oldObject') },
      { name: 'after', expression: annotationsOf('object') },
    ],
    validations: [
      {
        expression: `${keys}.all(key, ${isKept}) || ${mayWriteWorks}`,
        messageExpression: `'metadata.annotations: ${GUARDED.join(' and ')} are written by the manager; a change needs the right to update manifestworks in the namespace ' + object.metadata.namespace`,
        reason: 'Forbidden',
      },
    ],
  });
}
