import type { KubeObject } from '@outrigger/core';
import { CLEANUP_FINALIZER, type Definition, type DefinitionCondition } from '../crd/definition.js';
import { sharedSchema } from '../crd/schemas.js';
import { withoutNulls } from '../crd/without-nulls.js';
import { definitionStatus } from '../crd/status.js';
import { validateDefinition, validateDefinitionUpdate, validateNewerRules } from '../crd/validate.js';
import { ensureFields, fieldsOf, isFields, listOf, type Draft } from '../draft.js';
import type { Strategy } from '../resource.js';

/**
 * The rules of CRDs. The write that stores a CRD also accepts and establishes it, so its resources are served when the response arrives.
 */
export const definitionStrategy: Strategy = {
  hasGeneration: true,
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    const names = ensureFields(spec, 'names');
    const kind = typeof names['kind'] === 'string' ? names['kind'] : '';
    if (!names['singular']) names['singular'] = kind.toLowerCase();
    if (!names['listKind']) names['listKind'] = kind === '' ? '' : `${kind}List`;
    for (const version of listOf(spec, 'versions')) {
      const declared = fieldsOf(version, 'schema')['openAPIV3Schema'];
      if (isFields(declared)) version['schema'] = { ...fieldsOf(version, 'schema'), openAPIV3Schema: withoutNulls(declared) };
    }
    spec['conversion'] ??= { strategy: 'None' };
    const { service } = fieldsOf(fieldsOf(spec['conversion'], 'webhook'), 'clientConfig');
    if (isFields(service) && service['name'] !== undefined) service['port'] ??= 443;
  },
  prepareForCreate(draft, context) {
    shareSchemas(draft);
    if (isReadable(draft)) draft['status'] = definitionStatus(asDefinition(draft), undefined, context);
  },
  prepareForUpdate(draft, old, subresource, context) {
    if (subresource !== '') return;
    shareSchemas(draft);
    if (isReadable(draft)) draft['status'] = definitionStatus(asDefinition(draft), (old as Definition).status, context);
  },
  validate: (draft) => (isReadable(draft) ? validateDefinition(asDefinition(draft)) : []),
  validateCreate: (draft) => (isReadable(draft) ? validateNewerRules(asDefinition(draft), undefined) : []),
  validateUpdate: (draft, old) => (isReadable(draft) ? validateDefinitionUpdate(asDefinition(draft), old as Definition) : []),
  markDeleting(draft, { now }) {
    const finalizers = draft.metadata.finalizers ?? [];
    if (!finalizers.includes(CLEANUP_FINALIZER)) draft.metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
    const status = ensureFields(draft, 'status');
    const pending: DefinitionCondition = {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      lastTransitionTime: now,
    };
    status['conditions'] = [...listOf(status, 'conditions'), pending];
  },
};

/**
 * Replaces the schemas by shared instances. CRDs with equal content are common (a fleet of clusters in one process) and consist mostly of
 * schemas, so equal schemas are stored once.
 */
function shareSchemas(draft: Draft): void {
  for (const version of listOf(fieldsOf(draft, 'spec'), 'versions')) {
    const declared = fieldsOf(version, 'schema')['openAPIV3Schema'];
    if (isFields(declared)) version['schema'] = { ...fieldsOf(version, 'schema'), openAPIV3Schema: sharedSchema(declared) };
  }
}

/** Whether the CRD has the names and versions that the rules read. If it lacks them, the schema check reports this. */
function isReadable(draft: Draft): boolean {
  const { names, versions } = fieldsOf(draft, 'spec');
  return isFields(names) && Array.isArray(names['shortNames'] ?? []) && Array.isArray(versions) && versions.every(isFields);
}

function asDefinition(draft: Draft): Definition {
  return draft as unknown as KubeObject as Definition;
}
