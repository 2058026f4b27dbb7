import type { Strategy } from '../resource.js';
import { admissionPolicyBindingStrategy, admissionPolicyStrategy } from './admission-policies.js';
import { certificateRequestStrategy } from './certificates.js';
import { configMapStrategy, secretStrategy } from './config.js';
import { definitionStrategy } from './definition.js';
import { ingressStrategy } from './ingresses.js';
import { cronJobStrategy, jobStrategy } from './jobs.js';
import { namespaceStrategy } from './namespace.js';
import {
  apiServiceStrategy,
  autoscalerStrategy,
  autoscalerV1Strategy,
  controllerRevisionStrategy,
  disruptionBudgetStrategy,
  endpointSliceStrategy,
  endpointsStrategy,
  ingressClassStrategy,
  leaseStrategy,
  limitRangeStrategy,
  priorityClassStrategy,
  quotaStrategy,
} from './minor-kinds.js';
import { networkPolicyStrategy } from './network-policies.js';
import { podStrategy } from './pods.js';
import { bindingStrategy, clusterRoleStrategy, roleStrategy } from './rbac.js';
import { serviceStrategy } from './services.js';
import {
  csiDriverStrategy,
  flowSchemaStrategy,
  priorityLevelStrategy,
  resourceClaimStrategy,
  resourceClaimTemplateStrategy,
  volumeAttachmentStrategy,
} from './storage.js';
import { claimStrategy, storageClassStrategy, volumeStrategy } from './volumes.js';
import { eventStrategy, eventViewStrategy } from '../events.js';
import { webhookConfigurationStrategy } from './webhook-configurations.js';
import {
  daemonSetStrategy,
  deploymentStrategy,
  podTemplateStrategy,
  replicaSetStrategy,
  replicationControllerStrategy,
  statefulSetStrategy,
} from './workloads.js';

const UNCONDITIONAL: Strategy = { allowUnconditionalUpdate: true };
const COUNTED: Strategy = { allowUnconditionalUpdate: true, hasGeneration: true };
const RETURNED: Strategy = { allowUnconditionalUpdate: true, returnsDeletedObject: true };

const STRATEGIES: Readonly<Record<string, Strategy>> = {
  '/configmaps': configMapStrategy,
  '/endpoints': endpointsStrategy,
  '/events': eventStrategy,
  '/limitranges': limitRangeStrategy,
  '/namespaces': namespaceStrategy,
  '/persistentvolumeclaims': claimStrategy,
  '/persistentvolumes': volumeStrategy,
  '/pods': podStrategy,
  '/replicationcontrollers': replicationControllerStrategy,
  '/podtemplates': podTemplateStrategy,
  '/resourcequotas': quotaStrategy,
  '/secrets': secretStrategy,
  '/serviceaccounts': RETURNED,
  '/services': serviceStrategy,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhookConfigurationStrategy,
  'admissionregistration.k8s.io/validatingadmissionpolicies': admissionPolicyStrategy,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': admissionPolicyBindingStrategy,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhookConfigurationStrategy,
  'apiextensions.k8s.io/customresourcedefinitions': definitionStrategy,
  'apiregistration.k8s.io/apiservices': apiServiceStrategy,
  'apps/controllerrevisions': controllerRevisionStrategy,
  'apps/daemonsets': daemonSetStrategy,
  'apps/deployments': deploymentStrategy,
  'apps/replicasets': replicaSetStrategy,
  'apps/statefulsets': statefulSetStrategy,
  'autoscaling/horizontalpodautoscalers': autoscalerStrategy,
  'batch/cronjobs': cronJobStrategy,
  'batch/jobs': jobStrategy,
  'certificates.k8s.io/certificatesigningrequests': certificateRequestStrategy,
  'coordination.k8s.io/leases': leaseStrategy,
  'discovery.k8s.io/endpointslices': endpointSliceStrategy,
  'events.k8s.io/events': eventViewStrategy,
  'flowcontrol.apiserver.k8s.io/flowschemas': flowSchemaStrategy,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': priorityLevelStrategy,
  'networking.k8s.io/ingressclasses': ingressClassStrategy,
  'networking.k8s.io/ingresses': ingressStrategy,
  'networking.k8s.io/networkpolicies': networkPolicyStrategy,
  'node.k8s.io/runtimeclasses': { allowCreateOnUpdate: true },
  'policy/poddisruptionbudgets': disruptionBudgetStrategy,
  'rbac.authorization.k8s.io/clusterrolebindings': bindingStrategy,
  'rbac.authorization.k8s.io/clusterroles': clusterRoleStrategy,
  'rbac.authorization.k8s.io/rolebindings': bindingStrategy,
  'rbac.authorization.k8s.io/roles': roleStrategy,
  'networking.k8s.io/servicecidrs': { statusKeeps: 'metadata' },
  'resource.k8s.io/deviceclasses': COUNTED,
  'resource.k8s.io/resourceclaims': resourceClaimStrategy,
  'resource.k8s.io/resourceclaimtemplates': resourceClaimTemplateStrategy,
  'resource.k8s.io/resourceslices': COUNTED,
  'scheduling.k8s.io/priorityclasses': priorityClassStrategy,
  'storage.k8s.io/csidrivers': csiDriverStrategy,
  'storage.k8s.io/csinodes': { returnsDeletedObject: true },
  'storage.k8s.io/csistoragecapacities': {},
  'storage.k8s.io/volumeattachments': volumeAttachmentStrategy,
  'storage.k8s.io/volumeattributesclasses': {},
  'storage.k8s.io/storageclasses': storageClassStrategy,
};

/** The strategies for versions whose rules differ from those of the stored version. */
const VERSION_STRATEGIES: Readonly<Record<string, Strategy>> = {
  'autoscaling/v1/horizontalpodautoscalers': autoscalerV1Strategy,
};

export function strategyFor(group: string, plural: string, version: string): Strategy {
  return VERSION_STRATEGIES[`${group}/${version}/${plural}`] ?? STRATEGIES[`${group}/${plural}`] ?? UNCONDITIONAL;
}
