import type { Strategy } from '../resource.js';
import { definitionStrategy } from './definition.js';
import { namespaceStrategy } from './namespace.js';

const UNCONDITIONAL: Strategy = { allowUnconditionalUpdate: true };
const COUNTED: Strategy = { allowUnconditionalUpdate: true, hasGeneration: true };
const STRICT: Strategy = {};
const STRICT_COUNTED: Strategy = { hasGeneration: true };
const UPSERT: Strategy = { allowUnconditionalUpdate: true, allowCreateOnUpdate: true };

const STRATEGIES: Readonly<Record<string, Strategy>> = {
  '/namespaces': namespaceStrategy,
  '/events': UPSERT,
  'events.k8s.io/events': UPSERT,
  '/endpoints': UPSERT,
  '/limitranges': UPSERT,
  '/services': { ...UPSERT, returnsDeletedObject: true },
  '/serviceaccounts': { ...UNCONDITIONAL, returnsDeletedObject: true },
  '/persistentvolumes': { ...UNCONDITIONAL, returnsDeletedObject: true },
  '/persistentvolumeclaims': { ...UNCONDITIONAL, returnsDeletedObject: true },
  '/resourcequotas': { ...UNCONDITIONAL, returnsDeletedObject: true },
  '/pods': { ...COUNTED, returnsDeletedObject: true },
  '/replicationcontrollers': { ...COUNTED, defaultPropagation: 'Orphan' },
  'apps/deployments': COUNTED,
  'apps/daemonsets': COUNTED,
  'apps/statefulsets': COUNTED,
  'apps/replicasets': COUNTED,
  'batch/jobs': { ...COUNTED, defaultPropagation: 'Orphan' },
  'batch/cronjobs': COUNTED,
  'networking.k8s.io/ingresses': COUNTED,
  'networking.k8s.io/ingressclasses': COUNTED,
  'networking.k8s.io/networkpolicies': COUNTED,
  'discovery.k8s.io/endpointslices': COUNTED,
  'policy/poddisruptionbudgets': STRICT_COUNTED,
  'scheduling.k8s.io/priorityclasses': COUNTED,
  'storage.k8s.io/storageclasses': { ...UNCONDITIONAL, returnsDeletedObject: true },
  'coordination.k8s.io/leases': { allowCreateOnUpdate: true },
  'node.k8s.io/runtimeclasses': { allowCreateOnUpdate: true },
  'rbac.authorization.k8s.io/roles': UPSERT,
  'rbac.authorization.k8s.io/clusterroles': UPSERT,
  'rbac.authorization.k8s.io/rolebindings': UPSERT,
  'rbac.authorization.k8s.io/clusterrolebindings': UPSERT,
  'admissionregistration.k8s.io/validatingadmissionpolicies': STRICT_COUNTED,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': STRICT_COUNTED,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': STRICT_COUNTED,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': STRICT_COUNTED,
  'apiextensions.k8s.io/customresourcedefinitions': definitionStrategy,
  'apiregistration.k8s.io/apiservices': STRICT,
};

export function strategyFor(group: string, plural: string): Strategy {
  return STRATEGIES[`${group}/${plural}`] ?? UNCONDITIONAL;
}
