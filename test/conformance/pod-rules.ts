import { describe, expect, it } from 'vitest';
import type { Answer } from './api.js';
import { ownNamespace, type Subject, unique } from './subject.js';

const CONTAINER = 'spec.template.spec.containers[0]';
const VOLUME = 'spec.template.spec.volumes[0]';
const ENV_SOURCES = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
const BAD_ENV_NAME = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
const EXEC = { exec: { command: ['x'] } };

/** Tests the rules for pods in templates, which a cluster applies to everything that an add-on installs. */
export function podRules(subject: Subject): void {
  describe('a template of pods', () => {
    const ns = ownNamespace(subject, 'pods');
    const create = (plural: string, spec: object): Promise<Answer> =>
      subject.admin.post(`/apis/apps/v1/namespaces/${ns.name}/${plural}?dryRun=All`, { metadata: { name: unique('w') }, spec });
    const workload = (container: object = {}, pod: object = {}, extra: object = {}): object => ({
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i', ...container }], ...pod } },
      ...extra,
    });
    const causesOf = ({ body }: Answer): readonly string[] =>
      (body.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);

    it.each<[string, object, object, readonly string[]]>([
      ['a port without a number', { ports: [{ containerPort: 0 }] }, {}, [`${CONTAINER}.ports[0].containerPort: Required value`]],
      [
        'ports out of range',
        { ports: [{ containerPort: 70_000 }, { containerPort: 1, hostPort: 70_000 }] },
        {},
        ['ports[0].containerPort', 'ports[1].hostPort'].map(
          (port) => `${CONTAINER}.${port}: Invalid value: 70000: must be between 1 and 65535, inclusive`,
        ),
      ],
      [
        'names of ports that are no names',
        { ports: ['123', 'a--b', '-a', 'A', 'ok-1'].map((name, i) => ({ containerPort: i + 1, name })) },
        {},
        [
          `${CONTAINER}.ports[0].name: Invalid value: "123": must contain at least one letter (a-z)`,
          `${CONTAINER}.ports[1].name: Invalid value: "a--b": must not contain consecutive hyphens`,
          `${CONTAINER}.ports[2].name: Invalid value: "-a": must not begin or end with a hyphen`,
          `${CONTAINER}.ports[3].name: Invalid value: "A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
          `${CONTAINER}.ports[3].name: Invalid value: "A": must contain at least one letter (a-z)`,
        ],
      ],
      [
        'another port of the host network',
        { ports: [{ containerPort: 1, hostPort: 2 }] },
        { hostNetwork: true },
        [`${CONTAINER}.ports[0].hostPort: Invalid value: 2: must match \`containerPort\` when \`hostNetwork\` is true`],
      ],
      ['a variable without a name', { env: [{ name: '' }] }, {}, [`${CONTAINER}.env[0].name: Required value`]],
      ['a variable named a=b', { env: [{ name: 'a=b' }] }, {}, [`${CONTAINER}.env[0].name: Invalid value: "a=b": ${BAD_ENV_NAME}`]],
      [
        'a variable with a value and a source',
        { env: [{ name: 'a', value: '1', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
        {},
        [`${CONTAINER}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`],
      ],
      [
        'a variable from nothing',
        { env: [{ name: 'a', valueFrom: {} }] },
        {},
        [`${CONTAINER}.env[0].valueFrom: Invalid value: "": must specify one of: ${ENV_SOURCES}`],
      ],
      [
        'a variable from two sources',
        { env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { name: 's', key: 'k' } } }] },
        {},
        [`${CONTAINER}.env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time`],
      ],
      [
        'variables from nothing',
        { envFrom: [{}] },
        {},
        [`${CONTAINER}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``],
      ],
      ['variables from no name', { envFrom: [{ secretRef: {} }] }, {}, [`${CONTAINER}.envFrom[0].secretRef.name: Required value`]],
      [
        'a request above the limit',
        { resources: { limits: { memory: '1Gi' }, requests: { memory: '1025Mi' } } },
        {},
        [`${CONTAINER}.resources.requests: Invalid value: "1025Mi": must be less than or equal to memory limit of 1Gi`],
      ],
      [
        'a request of devices that is not the limit',
        { resources: { limits: { 'example.com/gpu': '2' }, requests: { 'example.com/gpu': '1' } } },
        {},
        [`${CONTAINER}.resources.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2`],
      ],
      [
        'a negative limit',
        { resources: { limits: { cpu: '-1' } } },
        {},
        [`${CONTAINER}.resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0`],
      ],
      ['a probe that does nothing', { livenessProbe: {} }, {}, [`${CONTAINER}.livenessProbe: Required value: must specify a handler type`]],
      [
        'a probe that does two things',
        { livenessProbe: { httpGet: { port: 80 }, tcpSocket: { port: 80 } } },
        {},
        [`${CONTAINER}.livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`],
      ],
      [
        'a probe of the port "80"',
        { readinessProbe: { httpGet: { port: '80' } } },
        {},
        [`${CONTAINER}.readinessProbe.httpGet.port: Invalid value: "80": must contain at least one letter (a-z)`],
      ],
      [
        'a liveness probe that must succeed twice',
        { livenessProbe: { ...EXEC, successThreshold: 2 } },
        {},
        [`${CONTAINER}.livenessProbe.successThreshold: Invalid value: 2: must be 1`],
      ],
      [
        'a probe with a negative period',
        { readinessProbe: { ...EXEC, periodSeconds: -1 } },
        {},
        [`${CONTAINER}.readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`],
      ],
      [
        'a hook that does nothing',
        { lifecycle: { preStop: {} } },
        {},
        [`${CONTAINER}.lifecycle.preStop: Required value: must specify a handler type`],
      ],
      [
        'a volume of two types',
        {},
        { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }] },
        [`${VOLUME}.hostPath: Forbidden: may not specify more than 1 volume type`],
      ],
      ['a ConfigMap without a name', {}, { volumes: [{ name: 'v', configMap: {} }] }, [`${VOLUME}.configMap.name: Required value`]],
      ['a Secret without a name', {}, { volumes: [{ name: 'v', secret: {} }] }, [`${VOLUME}.secret.secretName: Required value`]],
      [
        'a path of the host with ..',
        {},
        { volumes: [{ name: 'v', hostPath: { path: '/a/../b' } }] },
        [`${VOLUME}.hostPath.path: Invalid value: "/a/../b": must not contain '..'`],
      ],
      [
        'a mode in decimal',
        {},
        { volumes: [{ name: 'v', configMap: { name: 'x', defaultMode: 644 } }] },
        [`${VOLUME}.configMap.defaultMode: Invalid value: 644: must be a number between 0 and 0777 (octal), both inclusive`],
      ],
      [
        'an init container that mounts no volume',
        {},
        { initContainers: [{ name: 'i', image: 'x', volumeMounts: [{ name: 'none', mountPath: '/x' }] }] },
        ['spec.template.spec.initContainers[0].volumeMounts[0].name: Not found: "none"'],
      ],
      [
        'a toleration of nothing',
        {},
        { tolerations: [{}] },
        [
          'spec.template.spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ],
      ],
      [
        'a toleration of any value, with a value',
        {},
        { tolerations: [{ key: 'a', operator: 'Exists', value: 'x' }] },
        ['spec.template.spec.tolerations[0].operator: Invalid value: "x": value must be empty when `operator` is \'Exists\''],
      ],
      [
        'a time to tolerate what evicts nothing',
        {},
        { tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 5, effect: 'NoSchedule' }] },
        [
          'spec.template.spec.tolerations[0].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
        ],
      ],
      [
        'a deadline',
        {},
        { activeDeadlineSeconds: 5 },
        ['spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported'],
      ],
    ])('may not have %s', async (_, container, pod, causes) => {
      const answer = await create('deployments', workload(container, pod));
      expect([answer.status, causesOf(answer)]).toEqual([422, causes]);
    });

    it.each<[string, object, readonly string[]]>([
      [
        'Recreate with settings of RollingUpdate',
        { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
        ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
      ],
      [
        'a rolling update that cannot move',
        { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } },
        ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
      ],
      [
        'a surge that is no number',
        { strategy: { rollingUpdate: { maxSurge: 'x' } } },
        [`spec.strategy.rollingUpdate.maxSurge: Invalid value: "x": ${PERCENT}`],
      ],
      [
        'more than all pods unavailable',
        { strategy: { rollingUpdate: { maxUnavailable: '150%' } } },
        ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "150%": must not be greater than 100%'],
      ],
      [
        'a deadline before pods are available',
        { progressDeadlineSeconds: 10, minReadySeconds: 10 },
        ['spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds'],
      ],
      [
        'a negative history',
        { revisionHistoryLimit: -1 },
        ['spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0'],
      ],
    ])('of a Deployment may not have %s', async (_, extra, causes) => {
      const answer = await create('deployments', workload({}, {}, extra));
      expect([answer.status, causesOf(answer)]).toEqual([422, causes]);
    });

    it('may have everything that pods often have', async () => {
      const container = {
        ports: [
          { containerPort: 80, name: 'web' },
          { containerPort: 53, protocol: 'UDP', name: 'dns-udp', hostPort: 5353 },
        ],
        env: [
          { name: 'plain', value: '' },
          { name: 'with space and-1.x', value: 'x' },
          { name: 'field', value: '', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } } },
          { name: 'resource', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          { name: 'secret', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
          { name: 'map', valueFrom: { configMapKeyRef: { name: 's', key: 'k' } } },
        ],
        envFrom: [{ prefix: 'P_', configMapRef: { name: 'x' } }, { secretRef: { name: 'y', optional: true } }],
        resources: {
          limits: { cpu: '1', memory: '1Gi', 'example.com/gpu': '1', 'ephemeral-storage': '1Gi' },
          requests: { cpu: '1000m', memory: '1024Mi', 'example.com/gpu': '1' },
        },
        livenessProbe: { httpGet: { port: 'web', httpHeaders: [{ name: 'A', value: 'b' }] }, initialDelaySeconds: 0 },
        readinessProbe: { grpc: { port: 80 }, successThreshold: 3 },
        startupProbe: { tcpSocket: { port: 80 }, failureThreshold: 30 },
        lifecycle: { postStart: EXEC, preStop: { sleep: { seconds: 5 } } },
        volumeMounts: [
          { name: 'empty', mountPath: '/a', subPath: 'x' },
          { name: 'empty', mountPath: '/b', subPathExpr: '$(plain)' },
          { name: 'all', mountPath: '/c', readOnly: true },
        ],
      };
      const pod = {
        hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.example.com'] }],
        tolerations: [
          { operator: 'Exists' },
          { key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 5 },
          { key: 'a' },
        ],
        initContainers: [
          { name: 'sidecar', image: 'x', restartPolicy: 'Always', startupProbe: EXEC, volumeMounts: [{ name: 'empty', mountPath: '/x' }] },
        ],
        volumes: [
          { name: 'empty', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
          { name: 'map', configMap: { name: 'x', defaultMode: 0o444, items: [{ key: 'a', path: 'b' }], optional: true } },
          { name: 'secret', secret: { secretName: 'x' } },
          { name: 'host', hostPath: { path: '/var/..data', type: 'DirectoryOrCreate' } },
          { name: 'claim', persistentVolumeClaim: { claimName: 'x' } },
          { name: 'all', projected: { sources: [{ configMap: { name: 'x' } }, { serviceAccountToken: { path: 't' } }] } },
          { name: 'csi', csi: { driver: 'csi.example.com' } },
          { name: 'downward', downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          { name: 'nothing' },
        ],
      };
      const answer = await create(
        'deployments',
        workload(container, pod, { strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: '100%' } } }),
      );
      expect([answer.status, answer.body.message]).toEqual([201, undefined]);
    });
    it('of the host network has its ports on the host', async () => {
      const answer = await create(
        'daemonsets',
        workload(
          { ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 81 }, { containerPort: 82, hostPort: 0 }] },
          { hostNetwork: true },
        ),
      );
      expect([answer.status, answer.body.message]).toEqual([201, undefined]);
    });

    const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    const stateful = { serviceName: 's', volumeClaimTemplates: [claim] };
    it('of a StatefulSet mounts the volumes of its claims', async () => {
      const own = { name: 'own', emptyDir: {} };
      const volumeMounts = ['data', 'own'].map((name) => ({ name, mountPath: `/${name}` }));
      for (const volumes of [[own], [{ name: 'data', emptyDir: {} }, own]]) {
        const answer = await create('statefulsets', workload({ volumeMounts }, { volumes }, stateful));
        expect([answer.status, answer.body.message]).toEqual([201, undefined]);
      }
    });
    it('of a StatefulSet mounts no volume without a claim', async () => {
      const answer = await create('statefulsets', workload({ volumeMounts: [{ name: 'other', mountPath: '/data' }] }, {}, stateful));
      expect([answer.status, causesOf(answer)]).toEqual([422, [`${CONTAINER}.volumeMounts[0].name: Not found: "other"`]]);
    });
  });
}
