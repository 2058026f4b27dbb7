import type { KubeObject } from '@outrigger/core';

/** The label of the Deployments of Outrigger's programs, and its value. */
export const PART_OF_LABEL = 'app.kubernetes.io/part-of';
export const PART_OF = 'outrigger';

export interface WorkloadOptions {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  readonly args: readonly string[];
  readonly ports: Readonly<Record<string, number>>;
  readonly memory: string;
}

/**
 * Returns a Deployment for clusters with strict policies: no root user, no writable root file system, no capabilities, with probes, and
 * spread over nodes.
 */
export function workload({ name, namespace, image, replicas, args, ports, memory }: WorkloadOptions): KubeObject {
  const labels = { 'app.kubernetes.io/name': name, [PART_OF_LABEL]: PART_OF };
  const probe = (path: string, more: object): object => ({ httpGet: { path, port: 'metrics' }, ...more });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: labels },
            },
          ],
          containers: [
            {
              name,
              image,
              args,
              ports: Object.entries(ports).map(([port, containerPort]) => ({ name: port, containerPort })),
              livenessProbe: probe('/healthz', { initialDelaySeconds: 10 }),
              readinessProbe: probe('/readyz', { periodSeconds: 5 }),
              resources: { requests: { cpu: '50m', memory }, limits: { memory: '1Gi' } },
              securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
            },
          ],
        },
      },
    },
  } as KubeObject;
}

export function namespaceObject(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

export function serviceAccount(name: string, namespace: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
}
