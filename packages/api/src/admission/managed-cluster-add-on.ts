import type { ManagedClusterAddOn } from '../generated/addon.js';
import { addedReferences, addOnReferences, foreignTemplate, readChecks, unsupportedReference } from './references.js';
import { allowedWith } from './result.js';
import type { AdmissionLookup, AdmissionResult } from './types.js';

/** Without a ClusterManagementAddOn nothing is known about what is supported: the controllers tell when it appears. */
export function reviewAddOn(object: ManagedClusterAddOn, old: ManagedClusterAddOn | undefined, lookup: AdmissionLookup): AdmissionResult {
  const name = object.metadata.name ?? '';
  const added = addedReferences(addOnReferences(object.spec), old ? addOnReferences(old.spec) : []);
  const addOn = lookup.addOn(name);
  const refused = (addOn && unsupportedReference(added, addOn, lookup)) ?? foreignTemplate(added, name, lookup);
  return refused ?? allowedWith({ requires: readChecks(added) });
}

/** Never refused: the dependents degrade and recover by themselves. */
export function reviewAddOnDeletion(cluster: string, name: string, lookup: AdmissionLookup): AdmissionResult {
  const dependents = [...lookup.addOnsOn(cluster)].filter((other) => lookup.addOn(other)?.dependencies.includes(name)).sort();
  return allowedWith({
    warnings: dependents.length > 0 ? [`add-ons on ${cluster} that depend on ${name} and will be degraded: ${dependents.join(', ')}`] : [],
  });
}
