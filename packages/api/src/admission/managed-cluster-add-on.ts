import { DEFAULT_INSTALL_NAMESPACE } from '../constants.js';
import type { ManagedClusterAddOn } from '../generated/addon.js';
import { movingReferences } from './install-namespace.js';
import {
  addedReferences,
  addOnReferences,
  foreignTemplates,
  readChecks,
  unknownTemplateChecks,
  unplacedReferences,
  unsupportedReferences,
} from './references.js';
import { allowedWith } from './result.js';
import { type AuthorContext, foreignAuthorChecks } from './template-author.js';
import type { AdmissionLookup, AdmissionResult } from './types.js';

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
  const name = object.metadata.name ?? '';
  const added = addedReferences(addOnReferences(object.spec), old ? addOnReferences(old.spec) : []);
  const addOn = lookup.addOn(name);
  const foreign = foreignTemplates(added, name, lookup);
  const { installNamespace = DEFAULT_INSTALL_NAMESPACE } = object.spec;
  return allowedWith({
    warnings: [
      ...(addOn ? unsupportedReferences(added, addOn, lookup) : []),
      ...unplacedReferences(added),
      ...foreign.map(({ warning }) => warning),
      // The add-on's own namespace takes precedence over the default of a deployment config.
      ...(installNamespace === DEFAULT_INSTALL_NAMESPACE ? movingReferences(added, name, lookup) : []),
    ],
    // The permissions that a template grants go to the agents of the add-on that references it.
    requires: [...readChecks(added), ...unknownTemplateChecks(added, lookup), ...foreignAuthorChecks(foreign, context)],
  });
}

/**
 * Warns about the deletion of an add-on on which others depend. It does not reject it, because the dependent add-ons become degraded and
 * recover by themselves.
 */
export function reviewAddOnDeletion(cluster: string, name: string, lookup: AdmissionLookup): AdmissionResult {
  const dependents = [...lookup.addOnsOn(cluster)].filter((other) => lookup.addOn(other)?.dependencies.includes(name)).sort();
  return allowedWith({
    warnings: dependents.length > 0 ? [`add-ons on ${cluster} that depend on ${name} and will be degraded: ${dependents.join(', ')}`] : [],
  });
}
