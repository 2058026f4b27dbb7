import { ensureFields, fieldsOf, isFields, listOf, textOf, type MutableFields } from '../draft.js';

/** Sets the documented API defaults in a pod spec, of a pod or of a pod template. */
export function defaultPodSpec(spec: MutableFields): void {
  spec['restartPolicy'] ??= 'Always';
  spec['dnsPolicy'] ??= 'ClusterFirst';
  spec['terminationGracePeriodSeconds'] ??= 30;
  if (Number(spec['terminationGracePeriodSeconds']) < 0) spec['terminationGracePeriodSeconds'] = 1;
  spec['securityContext'] ??= {};
  spec['schedulerName'] ??= 'default-scheduler';
  // `serviceAccount` is the deprecated name of `serviceAccountName`. An API server sets both fields if one is set.
  const account = textOf(spec, 'serviceAccountName') ?? textOf(spec, 'serviceAccount');
  if (account) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  const containers = [...listOf(spec, 'initContainers'), ...listOf(spec, 'containers')];
  for (const container of [...containers, ...listOf(spec, 'ephemeralContainers')]) defaultContainer(container);
  if (spec['hostNetwork'] === true) for (const container of containers) defaultHostPorts(container);
  for (const volume of listOf(spec, 'volumes')) defaultVolume(volume);
}

function defaultContainer(container: MutableFields): void {
  container['imagePullPolicy'] ??= pullPolicy(textOf(container, 'image') ?? '');
  container['terminationMessagePath'] ??= '/dev/termination-log';
  container['terminationMessagePolicy'] ??= 'File';
  ensureFields(container, 'resources');
  for (const port of listOf(container, 'ports')) port['protocol'] ??= 'TCP';
  for (const variable of listOf(container, 'env')) defaultFieldRef(fieldsOf(variable, 'valueFrom'));
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) defaultProbe(container[name]);
  const lifecycle = fieldsOf(container, 'lifecycle');
  for (const hook of ['postStart', 'preStop']) defaultHttpGet(fieldsOf(lifecycle, hook)['httpGet']);
}

/** Returns the default pull policy. An image without a tag, or with `latest`, is always pulled. */
function pullPolicy(image: string): string {
  const name = image.split('/').at(-1) ?? '';
  if (name.includes('@')) return 'IfNotPresent';
  const tag = name.split(':')[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/**
 * Sets the requests of containers: a resource with a limit and no request gets its limit as the request. Pod templates are not defaulted
 * like this.
 */
export function defaultRequests(spec: MutableFields): void {
  for (const container of [...listOf(spec, 'initContainers'), ...listOf(spec, 'containers')]) {
    const resources = ensureFields(container, 'resources');
    const limits = fieldsOf(resources, 'limits');
    for (const [name, value] of Object.entries(limits)) ensureFields(resources, 'requests')[name] ??= value;
  }
}

function defaultProbe(probe: unknown): void {
  if (!isFields(probe)) return;
  probe['timeoutSeconds'] ??= 1;
  probe['periodSeconds'] ??= 10;
  probe['successThreshold'] ??= 1;
  probe['failureThreshold'] ??= 3;
  defaultHttpGet(probe['httpGet']);
  if (isFields(probe['grpc'])) probe['grpc']['service'] ??= '';
}

function defaultHttpGet(action: unknown): void {
  if (!isFields(action)) return;
  action['path'] ??= '/';
  action['scheme'] ??= 'HTTP';
}

function defaultFieldRef(source: unknown): void {
  if (!isFields(source)) return;
  if (isFields(source['fieldRef'])) source['fieldRef']['apiVersion'] ??= 'v1';
  if (isFields(source['resourceFieldRef'])) source['resourceFieldRef']['divisor'] ??= '0';
}

function defaultHostPorts(container: MutableFields): void {
  // A hostPort of 0 is treated as absent.
  for (const port of listOf(container, 'ports')) port['hostPort'] ||= port['containerPort'];
}

const FILE_MODE = 0o644;

function defaultVolume(volume: MutableFields): void {
  if (Object.keys(volume).every((field) => field === 'name')) volume['emptyDir'] = {};
  for (const name of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const source = volume[name];
    if (isFields(source)) source['defaultMode'] ??= FILE_MODE;
  }
  if (isFields(volume['hostPath'])) volume['hostPath']['type'] ??= '';
  for (const item of listOf(volume['downwardAPI'], 'items')) defaultFieldRef(item);
  for (const source of listOf(volume['projected'], 'sources')) {
    if (isFields(source['serviceAccountToken'])) source['serviceAccountToken']['expirationSeconds'] ??= 3600;
    for (const item of listOf(source['downwardAPI'], 'items')) defaultFieldRef(item);
  }
}
