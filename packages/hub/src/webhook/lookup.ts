import {
  ADDON_GROUP,
  ADDON_VERSION_LABEL,
  type AddOnView,
  type AdmissionLookup,
  type ClusterManagementAddOn,
  type TemplateView,
  addOnView,
  templateView,
} from '@outrigger/api';
import type { CacheView } from '@outrigger/kube';
import { DEPLOYMENT_CONFIG_RESOURCE, refKey } from '@outrigger/rules/configuration';
import { addOns } from '../resources/add-ons.js';
import { clusterNamespaces } from '../resources/cluster-rights.js';
import type { DeclarationProjection, TemplateProjection } from '@outrigger/rules/observed';
import { declarations } from '../resources/declarations.js';
import { deploymentConfigs } from '../resources/deployment-configs.js';
import { templates } from '../resources/templates.js';

/**
 * Looks up other objects for the admission rules in the manager's caches. The caches may lag, so two concurrent edits can both be admitted;
 * the controllers therefore repeat the checks that read other objects.
 */
export function cachedLookup(view: CacheView): AdmissionLookup {
  return {
    isPartial: !view.isComplete(templates),
    addOn(name) {
      const record = view.get(declarations, { name });
      return record && viewOfDeclaration(record);
    },
    *addOns() {
      for (const record of view.list(declarations)) yield viewOfDeclaration(record);
    },
    template(name) {
      const record = view.get(templates, { name });
      return record && viewOfTemplate(record);
    },
    templatesOf: (addOn) => view.byIndex(templates, 'addOn', addOn).map(viewOfTemplate),
    templateUsers(name) {
      const id = refKey({ group: ADDON_GROUP, resource: 'addontemplates', namespace: '', name });
      return [...view.byIndex(declarations, 'config', id), ...view.byIndex(addOns, 'config', id)].map(({ key }) => key.name);
    },
    publishedConfigs(addOn) {
      const lists = new Set(
        view.byIndex(addOns, 'addOn', addOn).flatMap(({ status }) => (status.supportedConfigs ? [status.supportedConfigs] : [])),
      );
      return [...lists].flat().map(({ group = '', resource }) => ({ group, resource }));
    },
    deploymentConfig(namespace, name) {
      const record = view.get(deploymentConfigs, { namespace, name });
      return record && { agentInstallNamespace: record.spec.agentInstallNamespace };
    },
    deploymentConfigUsers(namespace, name) {
      const id = refKey({ group: ADDON_GROUP, resource: DEPLOYMENT_CONFIG_RESOURCE, namespace, name });
      return [...view.byIndex(declarations, 'config', id), ...view.byIndex(addOns, 'config', id)].map(({ key }) => key.name);
    },
    installations: (addOn) => view.byIndex(addOns, 'addOn', addOn).length,
    addOnsOn: (cluster) => view.byIndex(addOns, 'cluster', cluster).map(({ key }) => key.name),
    // If another manager handles clusters, this manager does not watch namespaces; the webhook of the other manager checks them.
    isTerminating: (name) => view.isComplete(clusterNamespaces) && (view.get(clusterNamespaces, { name })?.isDeleting ?? false),
  };
}

function viewOfDeclaration({ key, spec }: DeclarationProjection): AddOnView {
  return addOnView({ metadata: { name: key.name }, spec } as ClusterManagementAddOn);
}

function viewOfTemplate({ key, version, spec }: TemplateProjection): TemplateView {
  return templateView({ metadata: { name: key.name, labels: { [ADDON_VERSION_LABEL]: version } }, spec });
}
