/** A manifest that kube-apiserver refuses, and the expected output of `outrigger lint` without a cluster. */
export interface ManifestRow {
  readonly title: string;
  /** The object as YAML in flow style. Namespaced objects are in the namespace `default`. */
  readonly manifest: string;
  /** The message, starting with the path of the field in the manifest. */
  readonly says: string;
}

const CONTAINER = '{name: c, image: i}';
const object = (apiVersion: string, kind: string, more: string, name = 'm'): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}, namespace: default}, ${more}}`;
const deployment = (pod: string, more = ''): string =>
  object('apps/v1', 'Deployment', `spec: {${more}selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: ${pod}}}`);
const job = (pod: string): string => object('batch/v1', 'Job', `spec: {template: {spec: ${pod}}}`);
const cronJob = (schedule: string): string =>
  object(
    'batch/v1',
    'CronJob',
    `spec: {schedule: "${schedule}", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [${CONTAINER}]}}}}}`,
  );

export const REFUSED_MANIFESTS: readonly ManifestRow[] = [
  { title: 'a workload without a spec', manifest: object('apps/v1', 'DaemonSet', ''), says: 'spec: a value is required' },
  {
    title: 'a pod without containers',
    manifest: deployment('{containers: []}'),
    says: 'spec.template.spec.containers: a pod needs at least one container',
  },
  {
    title: 'a container without an image',
    manifest: deployment('{containers: [{name: c}]}'),
    says: 'spec.template.spec.containers[0].image: a value is required, and there is none',
  },
  {
    title: 'an init container without an image',
    manifest: deployment(`{containers: [${CONTAINER}], initContainers: [{name: d}]}`),
    says: 'spec.template.spec.initContainers[0].image: a value is required, and there is none',
  },
  {
    title: 'a quantity with a wrong suffix',
    manifest: deployment('{containers: [{name: c, image: i, resources: {limits: {memory: 128MB}}}]}'),
    says: 'spec.template.spec.containers[0].resources.limits[memory]: "128MB": use a quantity such as 500m, 2 or 128Mi',
  },
  {
    title: 'a mount of a volume that does not exist',
    manifest: deployment(
      '{containers: [{name: c, image: i, volumeMounts: [{name: data, mountPath: /d}]}], volumes: [{name: date, emptyDir: {}}]}',
    ),
    says: 'spec.template.spec.containers[0].volumeMounts[0].name: the pod has no volume "data"; it has date',
  },
  {
    title: 'the restart policy of a Job left out',
    manifest: job(`{containers: [${CONTAINER}]}`),
    says: 'spec.template.spec.restartPolicy: the pods of a Job need OnFailure or Never',
  },
  {
    title: 'the restart policy of a Job in a Deployment',
    manifest: deployment(`{restartPolicy: Never, containers: [${CONTAINER}]}`),
    says: 'spec.template.spec.restartPolicy: the pods of a Deployment need Always; remove Never',
  },
  { title: 'a schedule in words', manifest: cronJob('every day'), says: 'spec.schedule: "every day": use five fields: minute, hour' },
  { title: 'a schedule of four fields', manifest: cronJob('0 22 * *'), says: 'spec.schedule: "0 22 * *": use five fields' },
  {
    title: 'a name with an underscore',
    manifest: '{apiVersion: v1, kind: ConfigMap, metadata: {name: my_config, namespace: default}}',
    says: 'metadata.name: "my_config": a lowercase RFC 1123 subdomain',
  },
  {
    title: 'the name of a Service that starts with a digit',
    manifest: object('v1', 'Service', 'spec: {ports: [{port: 80}]}', '1web'),
    says: 'metadata.name: "1web": a DNS-1035 label',
  },
  {
    title: 'the name of a Namespace with a dot',
    manifest: '{apiVersion: v1, kind: Namespace, metadata: {name: my.team}}',
    says: 'metadata.name: "my.team": must not contain dots',
  },
  { title: 'a Secret in plain text', manifest: object('v1', 'Secret', 'data: {k: "pass word"}'), says: 'data[k]: the value is not base64' },
  {
    title: 'binary data in plain text',
    manifest: object('v1', 'ConfigMap', 'binaryData: {k: "pass word"}'),
    says: 'binaryData[k]: the value is not base64',
  },
  {
    title: 'a label that is a number',
    manifest: '{apiVersion: v1, kind: ConfigMap, metadata: {name: m, namespace: default, labels: {version: 1.0}}}',
    says: 'metadata.labels.version: must be a string, not 1: write it in quotes',
  },
  {
    title: 'verbs that are no list',
    manifest:
      '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: m}, rules: [{apiGroups: [""], resources: [pods], verbs: get}]}',
    says: 'rules[0].verbs: must be a list, not the string "get"',
  },
  {
    title: 'a binding without its role',
    manifest: '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: m}, subjects: []}',
    says: 'roleRef: a value is required, and there is none',
  },
  {
    title: 'a selector that does not select its pods',
    manifest: object(
      'apps/v1',
      'Deployment',
      `spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: c}}, spec: {containers: [${CONTAINER}]}}}`,
    ),
    says: 'spec.selector: the Deployment selects pods with a=b, but its own pods have a=c',
  },
  {
    title: 'a string for a number',
    manifest: deployment(`{containers: [${CONTAINER}]}`, 'replicas: "2", '),
    says: 'spec.replicas: must be a whole number, not the string "2": write 2 without quotes',
  },
  {
    title: 'a port in quotes',
    manifest: object('v1', 'Service', 'spec: {ports: [{port: "80"}]}'),
    says: 'spec.ports[0].port: must be a whole number, not the string "80"',
  },
  {
    title: 'a pull policy in lower case',
    manifest: deployment('{containers: [{name: c, image: i, imagePullPolicy: always}]}'),
    says: 'spec.template.spec.containers[0].imagePullPolicy: "always" is not supported: did you mean Always?',
  },
];

/** Unusual manifests that kube-apiserver accepts. */
export const ACCEPTED_MANIFESTS: readonly Omit<ManifestRow, 'says'>[] = [
  {
    title: 'a volume of a claim template',
    manifest: object(
      'apps/v1',
      'StatefulSet',
      'spec: {serviceName: s, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i, volumeMounts: [{name: data, mountPath: /d}]}]}}, volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}',
    ),
  },
  { title: 'a schedule by name', manifest: cronJob('@hourly') },
  { title: 'a schedule with steps', manifest: cronJob('*/5 0-6 * jan mon-fri') },
  {
    title: 'quantities of every form',
    manifest: deployment(
      '{containers: [{name: c, image: i, resources: {limits: {cpu: 1, memory: 1e9}, requests: {cpu: 250m, memory: 0.5Gi}}}]}',
    ),
  },
  { title: 'a Job that never restarts', manifest: job(`{restartPolicy: Never, containers: [${CONTAINER}]}`) },
  {
    title: 'a Secret with base64 and an empty value',
    manifest: object('v1', 'Secret', 'data: {k: "cGFzcw==", e: ""}, stringData: {t: "pass word"}'),
  },
  {
    title: 'a role with colons in its name',
    manifest: '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "team:Reader_1"}, rules: []}',
  },
];
