import { DEFAULT_INSTALL_NAMESPACE, INSTALL_NAMESPACE_ANNOTATION } from '../constants.js';
import type { ManagedClusterAddOn } from '../generated/addon.js';
import { NAMESPACE_PATTERN } from '../schema/common.js';
import { movingReferences } from './install-namespace.js';
import {
  addedReferences,
  addOnReferences,
  borrowedTemplates,
  isTemplateReference,
  readChecks,
  unknownTemplateChecks,
  unplacedReferences,
  unsupportedReferences,
} from './references.js';
import { longName } from './long-name.js';
import { allowedWith, invalid } from './result.js';
import { type AuthorContext, borrowedAuthorChecks } from './template-author.js';
import type { AdmissionLookup, AdmissionResult } from './types.js';

/**
 * The field with the install namespace in v1beta1. It is an annotation, which a schema cannot check. In v1alpha1 the schema checks
 * `spec.installNamespace`.
 */
const INSTALL_NAMESPACE_FIELD = `metadata.annotations[${INSTALL_NAMESPACE_ANNOTATION}]`;
const NAMESPACE_NAME_RULE = 'use at most 63 lower case letters, digits and "-", with a letter or digit at both ends';

/**
 * Reviews a ManagedClusterAddOn. Without a ClusterManagementAddOn the supported kinds are not known; the controllers report unsupported
 * references when the declaration is created.
 */
export function reviewAddOn(
  object: ManagedClusterAddOn,
  old: ManagedClusterAddOn | undefined,
  lookup: AdmissionLookup,
  context: AuthorContext,
): AdmissionResult {
  const { installNamespace = DEFAULT_INSTALL_NAMESPACE } = object.spec;
  if (installNamespace !== old?.spec.installNamespace && !isNamespaceName(installNamespace)) {
    return invalid(INSTALL_NAMESPACE_FIELD, `"${installNamespace}" is not the name of a namespace: ${NAMESPACE_NAME_RULE}`);
  }
  const name = object.metadata.name ?? '';
  const added = addedReferences(addOnReferences(object.spec), old ? addOnReferences(old.spec) : []);
  const managementAddOn = lookup.addOn(name);
  const borrowed = borrowedTemplates(added, name, lookup);
  return allowedWith({
    warnings: [
      ...(added.some(isTemplateReference) ? longName('metadata.name', name) : []),
      ...(managementAddOn ? unsupportedReferences(added, managementAddOn, lookup) : []),
      ...unplacedReferences(added),
      ...borrowed.map(({ warning }) => warning),
      // The add-on's own `installNamespace` takes precedence over the default of a deployment config.
      ...(installNamespace === DEFAULT_INSTALL_NAMESPACE ? movingReferences(added, name, lookup) : []),
    ],
    // The permissions that a template grants go to the agents of the add-on that references it.
    requires: [...readChecks(added), ...unknownTemplateChecks(added, lookup), ...borrowedAuthorChecks(borrowed, context)],
  });
}

/**
 * Warns about the deletion of an add-on on which other add-ons depend. The deletion is allowed, because the other add-ons only become
 * degraded and recover when the dependency is satisfied again.
 */
export function reviewAddOnDeletion(cluster: string, name: string, lookup: AdmissionLookup): AdmissionResult {
  const dependents = [...lookup.addOnsOn(cluster)].filter((other) => lookup.addOn(other)?.dependencies.includes(name)).sort();
  return allowedWith({
    warnings: dependents.length > 0 ? [`add-ons on ${cluster} that depend on ${name} and will be degraded: ${dependents.join(', ')}`] : [],
  });
}

function isNamespaceName(name: string): boolean {
  return name.length <= 63 && new RegExp(NAMESPACE_PATTERN).test(name);
}
