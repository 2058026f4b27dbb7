import type { Column } from '../resource.js';
import { ageColumn, createdAtColumn, nameColumn } from './common.js';
import {
  claimColumns,
  configMapColumns,
  endpointColumns,
  eventColumns,
  namespaceColumns,
  nodeColumns,
  quotaColumns,
  secretColumns,
  serviceColumns,
  volumeColumns,
} from './core.js';
import {
  apiServiceColumns,
  autoscalerColumns,
  bindingColumns,
  certificateRequestColumns,
  disruptionBudgetColumns,
  endpointSliceColumns,
  ingressClassColumns,
  ingressColumns,
  leaseColumns,
  networkPolicyColumns,
  priorityClassColumns,
  runtimeClassColumns,
  storageClassColumns,
  webhookColumns,
} from './others.js';
import { podColumns } from './pods.js';
import {
  controllerRevisionColumns,
  cronJobColumns,
  daemonSetColumns,
  deploymentColumns,
  jobColumns,
  podTemplateColumns,
  replicaSetColumns,
  statefulSetColumns,
} from './workloads.js';

const NAME_AND_CREATED: readonly Column[] = [nameColumn, createdAtColumn];
const NAME_AND_AGE: readonly Column[] = [nameColumn, ageColumn];

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  '/configmaps': configMapColumns,
  '/endpoints': endpointColumns,
  '/events': eventColumns({
    object: 'involvedObject',
    message: 'message',
    first: 'firstTimestamp',
    last: 'lastTimestamp',
    count: 'count',
    source: 'source',
  }),
  '/limitranges': NAME_AND_CREATED,
  '/namespaces': namespaceColumns,
  '/nodes': nodeColumns,
  '/persistentvolumeclaims': claimColumns,
  '/persistentvolumes': volumeColumns,
  '/pods': podColumns,
  '/podtemplates': podTemplateColumns,
  '/replicationcontrollers': replicaSetColumns,
  '/resourcequotas': quotaColumns,
  '/secrets': secretColumns,
  '/services': serviceColumns,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhookColumns,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhookColumns,
  'apiextensions.k8s.io/customresourcedefinitions': NAME_AND_CREATED,
  'apiregistration.k8s.io/apiservices': apiServiceColumns,
  'apps/controllerrevisions': controllerRevisionColumns,
  'apps/daemonsets': daemonSetColumns,
  'apps/deployments': deploymentColumns,
  'apps/replicasets': replicaSetColumns,
  'apps/statefulsets': statefulSetColumns,
  'autoscaling/horizontalpodautoscalers': autoscalerColumns,
  'batch/cronjobs': cronJobColumns,
  'batch/jobs': jobColumns,
  'certificates.k8s.io/certificatesigningrequests': certificateRequestColumns,
  'coordination.k8s.io/leases': leaseColumns,
  'discovery.k8s.io/endpointslices': endpointSliceColumns,
  'events.k8s.io/events': eventColumns({
    object: 'regarding',
    message: 'note',
    first: 'deprecatedFirstTimestamp',
    last: 'deprecatedLastTimestamp',
    count: 'deprecatedCount',
    source: 'deprecatedSource',
  }),
  'networking.k8s.io/ingressclasses': ingressClassColumns,
  'networking.k8s.io/ingresses': ingressColumns,
  'networking.k8s.io/networkpolicies': networkPolicyColumns,
  'node.k8s.io/runtimeclasses': runtimeClassColumns,
  'policy/poddisruptionbudgets': disruptionBudgetColumns,
  'rbac.authorization.k8s.io/clusterrolebindings': bindingColumns,
  'rbac.authorization.k8s.io/clusterroles': NAME_AND_CREATED,
  'rbac.authorization.k8s.io/rolebindings': bindingColumns,
  'rbac.authorization.k8s.io/roles': NAME_AND_CREATED,
  'scheduling.k8s.io/priorityclasses': priorityClassColumns,
  'storage.k8s.io/storageclasses': storageClassColumns,
};

/** The columns kubectl shows for a built-in resource. */
export function columnsFor(group: string, plural: string): readonly Column[] {
  return COLUMNS[`${group}/${plural}`] ?? NAME_AND_AGE;
}
