import { INSTALLED_SPEC_ANNOTATION, INSTALLER_FIELD_MANAGER, type InstallTemplate, managedClusterAddOns } from '@outrigger/api';
import { type KubeObject, asJson, apiVersionOf, deepEqual } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { toRef } from '@outrigger/rules/configuration';
import type { AddOnProjection } from '@outrigger/rules/observed';
import { type FollowedFields, installedSpec, isRestored } from '@outrigger/rules/strategy';
import { patchObserved } from '../observed-actions.js';
import { HUB } from '../../resources/base.js';

const FIELDS = ['installVersion', 'configs'] as const;
type Field = (typeof FIELDS)[number];

/** The step that makes the fields of an add-on follow the strategy, except fields that other field managers own. */
type Step =
  | { readonly type: 'none' }
  /**
   * Removes fields that the strategy no longer sets. An apply cannot remove these fields, because the installer owns them through an Update
   * operation. `left` contains the installer's remaining fields.
   */
  | { readonly type: 'drop'; readonly fields: readonly Field[]; readonly left: FollowedFields }
  | { readonly type: 'apply'; readonly fields: FollowedFields; readonly force: boolean };

const NONE: Step = { type: 'none' };
const NOTHING: readonly ApiAction[] = [];

/**
 * Makes add-ons that the installer created follow a template, field by field. Fields of other field managers stay unchanged. Many add-ons
 * in a fleet have equal specs and owners, which the cache stores once, so consecutive equal add-ons share one computed step.
 */
export function follow(template: InstallTemplate): (clusterAddOn: AddOnProjection) => readonly ApiAction[] {
  let last: { readonly like: AddOnProjection; readonly step: Step } | undefined;
  return (clusterAddOn) => {
    if (clusterAddOn.installedSpec === undefined || clusterAddOn.isDeleting) return NOTHING;
    if (!last || !isAlike(last.like, clusterAddOn)) last = { like: clusterAddOn, step: stepFor(clusterAddOn, template) };
    return actionsOf(clusterAddOn, last.step);
  };
}

function isAlike(a: AddOnProjection, b: AddOnProjection): boolean {
  return a.spec === b.spec && a.owners === b.owners && a.installedSpec === b.installedSpec;
}

function stepFor(clusterAddOn: AddOnProjection, template: InstallTemplate): Step {
  const wasRestored = isRestored(clusterAddOn);
  const isOurs = (field: Field): boolean => {
    const { installer, others } = clusterAddOn.owners[field];
    return !others && (installer || wasRestored || clusterAddOn.spec[field] === undefined);
  };
  const ours = FIELDS.filter(isOurs);
  const dropped = ours.filter((field) => template[field] === undefined && clusterAddOn.spec[field] !== undefined);
  const stuck = dropped.filter((field) => isHeldByWrite(clusterAddOn, field));
  if (stuck.length > 0) {
    const left = ours.filter((field) => !stuck.includes(field));
    return { type: 'drop', fields: stuck, left: Object.fromEntries(left.map((field) => [field, clusterAddOn.spec[field]])) };
  }
  const fields = Object.fromEntries(ours.flatMap((field) => (template[field] === undefined ? [] : [[field, template[field]]])));
  const changed = ours.filter((field) => template[field] !== undefined && !isEqual(field, clusterAddOn, template));
  const released = dropped.filter((field) => clusterAddOn.owners[field].installer);
  if (!wasRestored && changed.length === 0 && released.length === 0) return NONE;
  const isNewMark = installedSpec(fields) !== clusterAddOn.installedSpec;
  const takesOver = [...changed, ...(isNewMark ? (['mark'] as const) : [])].some((field) => isHeldByWrite(clusterAddOn, field));
  return { type: 'apply', fields, force: wasRestored || takesOver };
}

/**
 * Whether an apply would conflict with a value that the installer's create request or the restore of a backup wrote. The installer forces
 * only these conflicts; it never overwrites values of other field managers.
 */
function isHeldByWrite({ owners }: AddOnProjection, field: Field | 'mark'): boolean {
  return owners[field].byUpdate || owners[field].restorer;
}

function isEqual(field: Field, { spec }: AddOnProjection, template: InstallTemplate): boolean {
  if (field === 'installVersion') return spec.installVersion === template.installVersion;
  return spec.configs !== undefined && deepEqual(spec.configs.map(toRef), (template.configs ?? []).map(toRef));
}

function actionsOf(clusterAddOn: AddOnProjection, step: Step): readonly ApiAction[] {
  if (step.type === 'none') return NOTHING;
  const id = `follow/${clusterAddOn.key.namespace ?? ''}`;
  const fieldManager = INSTALLER_FIELD_MANAGER;
  if (step.type === 'apply') {
    const object = appliedObject(clusterAddOn, step.fields);
    return [{ type: 'apply', id, api: HUB, kind: managedClusterAddOns, object, force: step.force, fieldManager }];
  }
  const patch = {
    metadata: { annotations: { [INSTALLED_SPEC_ANNOTATION]: installedSpec(step.left) } },
    spec: Object.fromEntries(step.fields.map((field) => [field, null])),
  };
  return [{ ...patchObserved(clusterAddOn, managedClusterAddOns, id, patch), fieldManager }];
}

/**
 * Builds the object to apply. It includes the observed uid and resourceVersion, so that the API server rejects the apply if the add-on has
 * changed since the pass observed it; the next pass then decides again.
 */
function appliedObject({ key, uid, resourceVersion, spec: live }: AddOnProjection, fields: FollowedFields): KubeObject {
  const spec = { ...(live.installNamespace === undefined ? {} : { installNamespace: live.installNamespace }), ...fields };
  return {
    apiVersion: apiVersionOf(managedClusterAddOns),
    kind: managedClusterAddOns.kind,
    metadata: { ...key, uid, resourceVersion, annotations: { [INSTALLED_SPEC_ANNOTATION]: installedSpec(fields) } },
    spec: asJson(spec),
  } as KubeObject;
}
