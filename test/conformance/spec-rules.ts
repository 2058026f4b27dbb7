import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from './api.js';
import { ownNamespace, type Subject, unique } from './subject.js';

const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i:1' }] } } } };
const NEGATIVE = 'Invalid value: -1: must be greater than or equal to 0';
const SUBDOMAIN = 'a lowercase RFC 1123 subdomain must consist of';

/** Schedules of CronJobs that are valid. */
const SCHEDULES: readonly string[] = [
  '*/5 * * * *',
  '1-5/2 * * * *',
  '5/15 * * * *',
  '0 0 * jan mon',
  '0 0 * JAN-FEB MON-FRI',
  '? ? ? ? ?',
  '  0   0 * * *  ',
  '*/100 * * * *',
  '+1 * * * *',
  '1, * * * *',
  '@daily',
  '@annually',
  '@every 1h30m',
];

const BAD_SCHEDULES: readonly (readonly [schedule: string, why: string])[] = [
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
  ['0 0 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['0 0 * 13 *', 'end of range (13) above maximum (12): 13'],
  ['0 0 * * 7', 'end of range (7) above maximum (6): 7'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['1,2,x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['99999999999999999999 * * * *', 'failed to parse int from 99999999999999999999'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['*/-5 * * * *', 'negative number (-5) not allowed: -5'],
  ['0 0 L * *', 'failed to parse int from L'],
  ['@nope', 'unrecognized descriptor: @nope'],
  ['@every 1x', 'failed to parse duration @every 1x: time: '],
  ['TZ=UTC * * * * *', 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'],
];

const ZONES: readonly string[] = ['UTC', 'Etc/UTC', 'Europe/Berlin', 'EST', 'Etc/GMT+1'];
const BAD_ZONES: readonly (readonly [zone: string, why: string])[] = [
  ['', 'timeZone must be nil or non-empty string'],
  ['Local', 'timeZone must be an explicit time zone'],
  ['europe/berlin', 'unknown time zone europe/berlin'],
  ['Nowhere/City', 'unknown time zone Nowhere/City'],
  ['../etc', 'unknown time zone ../etc'],
];

type Row = readonly [title: string, spec: object, causes: readonly string[]];

const JOBS: readonly Row[] = [
  [
    'negative numbers',
    { ...jobTemplate.spec, parallelism: -1, completions: -1, activeDeadlineSeconds: -1, backoffLimit: -1, ttlSecondsAfterFinished: -1 },
    ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'].map(
      (name) => `spec.${name}: ${NEGATIVE}`,
    ),
  ],
  [
    'a selector of its own',
    { ...jobTemplate.spec, selector: { matchLabels: { a: 'b' } } },
    ['spec.selector: Invalid value: {"matchLabels":{"a":"b",', 'spec.template.metadata.labels: Invalid value: {"batch.kubernetes.io/'],
  ],
  [
    'no selector although it is manual',
    { ...jobTemplate.spec, manualSelector: true },
    ['spec.selector: Required value', 'spec.template.metadata.labels: Invalid value: null: `selector` does not match'],
  ],
  [
    'limits by index without indexes',
    { ...jobTemplate.spec, maxFailedIndexes: 1 },
    [
      'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
      'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
    ],
  ],
];

const BUDGETS: readonly Row[] = [
  ['both limits', { minAvailable: 1, maxUnavailable: 1 }, ['spec: Invalid value: {"M']],
  ['a negative number', { minAvailable: -1 }, [`spec.minAvailable: ${NEGATIVE}`]],
  ['more than all', { minAvailable: '101%' }, ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%']],
  ['no percentage', { maxUnavailable: 'x%' }, ['spec.maxUnavailable: Invalid value: "x%": a valid percent string must be']],
  ['an empty text', { maxUnavailable: '' }, ['spec.maxUnavailable: Invalid value: "": a valid percent string must be']],
  [
    'a label that is none',
    { selector: { matchLabels: { 'a b': 'c' } } },
    ['spec.selector.matchLabels: Invalid value: "a b": name part must'],
  ],
  [
    'no values',
    { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    ['spec.selector.matchExpressions[0].values: Required value: must be specified when'],
  ],
];

const backend = { service: { name: 's', port: { number: 80 } } };
const withPath = (path: object): object => ({ rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...path }] } }] });
const withHost = (host: string): object => ({ rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] });
const PATH = 'spec.rules[0].http.paths[0]';
const INGRESSES: readonly Row[] = [
  ['no rule', {}, ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified']],
  ['no type of a path', withPath({ pathType: undefined }), [`${PATH}.pathType: Required value: pathType must be specified`]],
  ['a relative path', withPath({ path: 'a' }), [`${PATH}.path: Invalid value: "a": must be an absolute path`]],
  ['a path that climbs', withPath({ path: '/a/../b' }), [`${PATH}.path: Invalid value: "/a/../b": must not contain '/../'`]],
  ['a path that ends in dots', withPath({ path: '/a/..' }), [`${PATH}.path: Invalid value: "/a/..": cannot end with '/..'`]],
  ['an encoded slash', withPath({ path: '/a%2fb' }), [`${PATH}.path: Invalid value: "/a%2fb": must not contain '%2f'`]],
  ['no backend', withPath({ backend: {} }), [`${PATH}.backend: Invalid value: "": resource or service backend is required`]],
  [
    'two backends',
    withPath({ backend: { ...backend, resource: { kind: 'K', name: 'n' } } }),
    [`${PATH}.backend: Invalid value: "": cannot set both resource and service backends`],
  ],
  [
    'a resource that cannot exist',
    withPath({ backend: { resource: { apiGroup: 'A B', kind: '', name: 'a/b' } } }),
    [
      `${PATH}.backend.resource.apiGroup: Invalid value: "A B": ${SUBDOMAIN}`,
      `${PATH}.backend.resource.kind: Required value`,
      `${PATH}.backend.resource.name: Invalid value: "a/b": may not contain '/'`,
    ],
  ],
  ['no port', withPath({ backend: { service: { name: 's' } } }), [`${PATH}.backend: Required value: port name or number is required`]],
  [
    'two ports',
    withPath({ backend: { service: { name: 's', port: { number: 80, name: 'x' } } } }),
    [`${PATH}.backend: Invalid value: "": cannot set both port name & port number`],
  ],
  ['an address as host', withHost('1.2.3.4'), ['spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address']],
  ['a star inside a host', withHost('a.*.com'), ['spec.rules[0].host: Invalid value: "a.*.com": a wildcard DNS-1123 subdomain must']],
  [
    'a class that cannot exist',
    { ...withPath({}), ingressClassName: 'A B' },
    [`spec.ingressClassName: Invalid value: "A B": ${SUBDOMAIN}`],
  ],
  [
    'hosts and a Secret that cannot exist',
    { ...withPath({}), tls: [{ hosts: ['a.com', '*.'], secretName: 'A_b' }] },
    [`spec.tls[0].hosts[1]: Invalid value: "*.": a wildcard`, `spec.tls[0].secretName: Invalid value: "A_b": ${SUBDOMAIN}`],
  ],
];

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' };
const AUTOSCALERS: readonly Row[] = [
  [
    'more replicas at least than at most',
    { scaleTargetRef: target, minReplicas: 3, maxReplicas: 1 },
    ['spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`'],
  ],
  [
    'a workload without a group',
    { scaleTargetRef: { ...target, apiVersion: 'v1' }, maxReplicas: 1 },
    ['spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'],
  ],
  [
    'no workload',
    { maxReplicas: 1 },
    [
      'spec.scaleTargetRef.kind: Required value',
      'spec.scaleTargetRef.name: Required value',
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
    ],
  ],
];

const ports = [{ port: 80 }];
const SERVICES: readonly Row[] = [
  [
    'a node port of a type without',
    { ports: [{ port: 80, nodePort: 30_123 }] },
    ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  ],
  [
    'one node port twice',
    {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 80, nodePort: 30_123 },
        { name: 'b', port: 81, nodePort: 30_123 },
      ],
    },
    ['spec.ports[1].nodePort: Invalid value: 30123: provided port is already allocated'],
  ],
  [
    'node ports without an address',
    { type: 'NodePort', clusterIP: 'None', ports },
    [`spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services`],
  ],
  ['no address', { clusterIP: 'x', ports }, ['spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address']],
  [
    'another name that cannot exist',
    { type: 'ExternalName', externalName: 'A_b' },
    [`spec.externalName: Invalid value: "A_b": ${SUBDOMAIN}`],
  ],
  [
    'another name and an address',
    { type: 'ExternalName', externalName: 'a.com', clusterIP: '10.0.0.5' },
    ['spec.clusterIPs: Forbidden: may not be set for ExternalName services'],
  ],
  [
    'a policy for traffic that cannot come',
    { externalTrafficPolicy: 'Local', ports },
    ['spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
  ],
  [
    'fields of a load balancer',
    { loadBalancerSourceRanges: ['10.0.0.0/8'], ports },
    ["spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'"],
  ],
  [
    'a port that is no name',
    { ports: [{ name: 'A_b', port: 80 }] },
    ['spec.ports[0].name: Invalid value: "A_b": a lowercase RFC 1123 label'],
  ],
  [
    'a target that is no port',
    { ports: [{ port: 80, targetPort: 70_000 }] },
    ['spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive'],
  ],
  ['a label that is none', { selector: { 'a b': 'c' }, ports }, ['spec.selector: Invalid value: "a b": name part must consist of']],
  [
    'no time of affinity',
    { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } }, ports },
    ['spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400'],
  ],
];

const NO_PEER = 'spec.ingress[0].from[0]';
const from = (...peers: readonly object[]): object => ({ podSelector: {}, ingress: [{ from: peers }] });
const onPort = (port: object): object => ({ podSelector: {}, ingress: [{ ports: [port] }] });
const NETWORK_POLICIES: readonly Row[] = [
  ['no peer', from({}), [`${NO_PEER}: Required value: must specify a peer`]],
  [
    'two kinds of peer',
    from({ ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} }),
    [`${NO_PEER}: Forbidden: may not specify both ipBlock`],
  ],
  ['a range that is none', from({ ipBlock: { cidr: 'x' } }), [`${NO_PEER}.ipBlock.cidr: Invalid value: "x": must be a valid CIDR value`]],
  ['a port that is none', onPort({ port: 70_000 }), ['spec.ingress[0].ports[0].port: Invalid value: 70000: must be between']],
  [
    'a last port without a first',
    onPort({ endPort: 5 }),
    ['spec.ingress[0].ports[0].endPort: Invalid value: 5: may not be specified when'],
  ],
  [
    'a last port before the first',
    onPort({ port: 80, endPort: 5 }),
    ['spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater'],
  ],
  [
    'a label that is none',
    { podSelector: { matchLabels: { 'a b': 'c' } } },
    ['spec.podSelector.matchLabels: Invalid value: "a b": name part must consist of'],
  ],
];

const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const CLAIMS: readonly Row[] = [
  ['no access', { ...claim, accessModes: [] }, ['spec.accessModes: Required value: at least 1 access mode is required']],
  ['no size', { ...claim, resources: {} }, ['spec.resources[storage]: Required value']],
  [
    'a negative size',
    { ...claim, resources: { requests: { storage: '-1' } } },
    ['spec.resources[storage]: Invalid value: "-1": must be greater than zero'],
  ],
  ['a class that cannot exist', { ...claim, storageClassName: 'A B' }, [`spec.storageClassName: Invalid value: "A B": ${SUBDOMAIN}`]],
  [
    'access that excludes other access',
    { ...claim, accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] },
    ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  ],
];

const containers = [{ name: 'c', image: 'i:1' }];
const pod = (spec: object): object => ({ automountServiceAccountToken: false, containers, ...spec });
const LABEL = 'a lowercase RFC 1123 label must consist of';
const PODS: readonly Row[] = [
  [
    'a resource that does not exist',
    pod({ containers: [{ ...containers[0], resources: { requests: { cpus: '1' } } }] }),
    ['must be a standard resource type or fully qualified', 'must be a standard resource for containers'].map(
      (why) => `spec.containers[0].resources.requests[cpus]: Invalid value: "cpus": ${why}`,
    ),
  ],
  [
    'a port of the host twice',
    pod({ containers: [{ ...containers[0], ports: [80, 81].map((containerPort) => ({ containerPort, hostPort: 80 })) }] }),
    ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"'],
  ],
  [
    'names that cannot exist',
    pod({ hostname: 'A_b', subdomain: 'A_b' }),
    [`spec.hostname: Invalid value: "A_b": ${LABEL}`, `spec.subdomain: Invalid value: "A_b": ${LABEL}`],
  ],
  ['a label of nodes that is none', pod({ nodeSelector: { a: 'c d' } }), ['spec.nodeSelector: Invalid value: "c d": a valid label must']],
  ['no name servers', pod({ dnsPolicy: 'None' }), ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None']],
  [
    'a restart that is none',
    pod({ initContainers: [{ name: 'i', image: 'i:1', restartPolicy: 'X' }] }),
    ['spec.initContainers[0].restartPolicy: Unsupported value: "X": supported values: "Always", "Never", "OnFailure"'],
  ],
];

const daemon = (fields: object, podFields: object = {}): object => ({
  selector: { matchLabels: { a: 'b' } },
  template: { metadata: { labels: { a: 'b' } }, spec: { containers, ...podFields } },
  ...fields,
});
const DAEMONS: readonly Row[] = [
  [
    'no step',
    daemon({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } }),
    ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
  ],
  [
    'an account that cannot exist',
    daemon({}, { serviceAccountName: 'A B' }),
    [`spec.template.spec.serviceAccountName: Invalid value: "A B": ${SUBDOMAIN}`],
  ],
];

/** Tests rules of the specs of CronJobs, Jobs, budgets, Ingresses, autoscalers and Services. */
export function specRules(subject: Subject): void {
  describe('the rules of a spec', () => {
    const ns = ownNamespace(subject, 'spec-rules');
    const collections = {
      cronjobs: `/apis/batch/v1/namespaces/${ns.name}/cronjobs`,
      jobs: `/apis/batch/v1/namespaces/${ns.name}/jobs`,
      budgets: `/apis/policy/v1/namespaces/${ns.name}/poddisruptionbudgets`,
      ingresses: `/apis/networking.k8s.io/v1/namespaces/${ns.name}/ingresses`,
      autoscalers: `/apis/autoscaling/v2/namespaces/${ns.name}/horizontalpodautoscalers`,
      services: ns.path('services'),
      policies: `/apis/networking.k8s.io/v1/namespaces/${ns.name}/networkpolicies`,
      claims: ns.path('persistentvolumeclaims'),
      pods: ns.path('pods'),
      daemons: `/apis/apps/v1/namespaces/${ns.name}/daemonsets`,
      classes: '/apis/networking.k8s.io/v1/ingressclasses',
    };
    const rehearse = (collection: keyof typeof collections, spec: object, name = 'x'): Promise<Answer> =>
      subject.admin.post(`${collections[collection]}?dryRun=All`, { metadata: { name }, spec });
    const cron = (fields: object, name?: string): Promise<Answer> =>
      rehearse('cronjobs', { schedule: '@daily', jobTemplate, ...fields }, name);

    it.each(SCHEDULES)('allow a CronJob at %j', async (schedule) => {
      expect((await cron({ schedule })).status).toBe(201);
    });
    it.each(BAD_SCHEDULES)('refuse a CronJob at %j', async (schedule, why) => {
      expect(causesOf(await cron({ schedule }))).toEqual([
        startingWith(`spec.schedule: Invalid value: ${JSON.stringify(schedule)}: ${why}`),
      ]);
    });
    it.each(ZONES)('allow a CronJob in the time zone %j', async (timeZone) => {
      expect((await cron({ timeZone })).status).toBe(201);
    });
    it.each(BAD_ZONES)('refuse a CronJob in the time zone %j', async (timeZone, why) => {
      expect(causesOf(await cron({ timeZone }))).toEqual([
        startingWith(`spec.timeZone: Invalid value: ${JSON.stringify(timeZone)}: ${why}`),
      ]);
    });
    it('refuse a CronJob with a long name, negative numbers, or jobs that select other pods', async () => {
      expect((await cron({}, 'x'.repeat(52))).status).toBe(201);
      expect(causesOf(await cron({}, 'x'.repeat(53)))).toEqual([
        expect.stringMatching(/^metadata.name: .* must be no more than 52 characters$/),
      ]);
      const counts = { startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 };
      expect(causesOf(await cron(counts))).toEqual(Object.keys(counts).map((name) => `spec.${name}: ${NEGATIVE}`));
      expect(causesOf(await cron({ jobTemplate: { spec: { ...jobTemplate.spec, manualSelector: true } } }))).toEqual([
        'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
      ]);
    });
    it('refuse a copy of a Job, which has the labels of the first one', async () => {
      const { spec } = await subject.admin.create(collections.jobs, { metadata: { name: unique('first') }, spec: jobTemplate.spec });
      const { details } = (await rehearse('jobs', spec, 'copy')).body;
      const label = (name: string): string => `spec.template.metadata.labels[${name}]`;
      const domain = 'batch.kubernetes.io/';
      const labels = ['controller-uid', 'job-name', `${domain}controller-uid`, `${domain}job-name`];
      expect(details.causes.map(({ field }) => field)).toEqual([...labels.map(label), 'spec.selector']);
      expect(details.causes[1]?.message).toMatch(/must be 'copy'$/);
      expect(details.causes[4]?.message).toMatch(/`selector` not auto-generated$/);
    });

    type Collection = keyof typeof collections;
    const rows = (collection: Collection, table: readonly Row[]): (readonly [Collection, ...Row])[] =>
      table.map((row) => [collection, ...row] as const);
    it.each([
      ...rows('jobs', JOBS),
      ...rows('budgets', BUDGETS),
      ...rows('ingresses', INGRESSES),
      ...rows('autoscalers', AUTOSCALERS),
      ...rows('services', SERVICES),
      ...rows('policies', NETWORK_POLICIES),
      ...rows('claims', CLAIMS),
      ...rows('pods', PODS),
      ...rows('daemons', DAEMONS),
      ...rows('classes', [
        ['a controller without a domain', { controller: 'x' }, ['spec.controller: Invalid value: "x": must be a domain-prefixed']],
      ]),
    ])('refuse %s with %s', async (collection, _title, spec, causes) => {
      expect(causesOf(await rehearse(collection, spec))).toEqual(causes.map(startingWith));
    });
    it('refuse an Ingress whose annotation and field name different classes', async () => {
      const metadata = { name: 'classes', annotations: { 'kubernetes.io/ingress.class': 'x' } };
      const answer = await subject.admin.post(collections.ingresses, { metadata, spec: { ...withPath({}), ingressClassName: 'y' } });
      expect(causesOf(answer)).toEqual([startingWith('annotations.kubernetes.io/ingress.class: Invalid value: "x": must match')]);
    });
  });

  describe('what cannot change or exist', () => {
    const ns = ownNamespace(subject, 'unchanged');

    it('is most of a claim and of a StorageClass', async () => {
      await subject.admin.create(ns.path('persistentvolumeclaims'), { metadata: { name: 'data' }, spec: claim });
      const changed = await subject.admin.patch('merge', ns.path('persistentvolumeclaims/data'), {
        spec: { accessModes: ['ReadOnlyMany'] },
      });
      expect(causesOf(changed)).toEqual([startingWith('spec: Forbidden: spec is immutable after creation except resources.requests')]);
      const name = unique('class');
      const classes = '/apis/storage.k8s.io/v1/storageclasses';
      await subject.admin.create(classes, { metadata: { name }, provisioner: 'example.com/a' });
      const other = { provisioner: 'b', parameters: { a: 'b' }, reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer' };
      expect(causesOf(await subject.admin.patch('merge', `${classes}/${name}`, other))).toEqual([
        ...['parameters', 'provisioner', 'reclaimPolicy'].map((field) => `${field}: Forbidden: updates to ${field} are forbidden.`),
        'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
      ]);
      await subject.admin.delete(`${classes}/${name}`);
    });
    it.each(['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg'])('is a Secret of type %s that is no JSON', async (type) => {
      const key = type.replace('kubernetes.io/', '.');
      const create = (value: string): Promise<Answer> =>
        subject.admin.post(`${ns.path('secrets')}?dryRun=All`, { metadata: { name: 'x' }, type, stringData: { [key]: value } });
      expect(causesOf(await create('x'))).toEqual([startingWith(`data[${key}]: Invalid value: "<secret contents redacted>": `)]);
      expect((await create('{}')).status).toBe(201);
    });
    it('is a priority of the system', async () => {
      const answer = await subject.admin.post('/apis/scheduling.k8s.io/v1/priorityclasses?dryRun=All', {
        metadata: { name: 'x' },
        value: 2e9,
      });
      expect(causesOf(answer)).toEqual(['value: Forbidden: maximum allowed value of a user defined priority is 1000000000']);
    });
    it('is a negative grace period, which is one second', async () => {
      const spec = pod({ terminationGracePeriodSeconds: -5 });
      const { body } = await subject.admin.post(`${ns.path('pods')}?dryRun=All`, { metadata: { name: 'x' }, spec });
      expect(body.spec['terminationGracePeriodSeconds']).toBe(1);
    });
  });

  describe('a Service', () => {
    const ns = ownNamespace(subject, 'service');
    const services = ns.path('services');
    const patch = (name: string, spec: object): Promise<Answer> => subject.admin.patch('merge', `${services}/${name}`, { spec });
    const node = 30_000 + Math.floor(Math.random() * 2_700);

    beforeAll(async () => {
      await subject.admin.create(services, {
        metadata: { name: 'node' },
        spec: { type: 'NodePort', ports: [{ port: 80, nodePort: node }] },
      });
    });

    it.each<[number, string]>([
      [80, 'provided port is not in the valid range. The range of valid ports is 30000-32767'],
      [40_000, 'provided port is not in the valid range. The range of valid ports is 30000-32767'],
      [node, 'provided port is already allocated'],
    ])('cannot have the node port %i', async (nodePort, why) => {
      const answer = await subject.admin.post(services, {
        metadata: { name: 'refused' },
        spec: { type: 'NodePort', ports: [{ port: 80, nodePort }] },
      });
      expect(causesOf(answer)).toEqual([`spec.ports[0].nodePort: Invalid value: ${nodePort}: ${why}`]);
    });
    it('keeps its node port if the update omits it', async () => {
      expect((await patch('node', { ports: [{ port: 81 }] })).body.spec).toMatchObject({ ports: [{ port: 81, nodePort: node }] });
    });
    it('loses what its new type does not need', async () => {
      await subject.admin.create(services, {
        metadata: { name: 'typed' },
        spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports },
      });
      const { body: local } = await patch('typed', { type: 'ClusterIP' });
      expect(local.spec).toMatchObject({ type: 'ClusterIP', clusterIP: expect.any(String) as string, internalTrafficPolicy: 'Cluster' });
      const balanced = ['healthCheckNodePort', 'externalTrafficPolicy', 'allocateLoadBalancerNodePorts'];
      for (const field of balanced) expect(local.spec).not.toHaveProperty(field);
      expect(JSON.stringify(local.spec)).not.toContain('nodePort');
      const { body: external } = await patch('typed', { type: 'ExternalName', externalName: 'a.com', ports: null });
      expect(external.spec).toEqual({ type: 'ExternalName', externalName: 'a.com', sessionAffinity: 'None' });
      const { body: back } = await patch('typed', { type: 'NodePort', externalName: null, ports });
      expect(back.spec).toMatchObject({ clusterIP: expect.any(String) as string, ports: [{ nodePort: expect.any(Number) as number }] });
    });
    it('keeps its address', async () => {
      const answer = await patch('node', { clusterIP: '10.0.0.77' });
      expect(causesOf(answer)).toEqual(['spec.clusterIPs[0]: Invalid value: ["10.0.0.77"]: may not change once set']);
    });
    it('has ports for load balancers only if they need them', async () => {
      const spec = { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, externalTrafficPolicy: 'Local', ports };
      const { body } = await subject.admin.post(services, { metadata: { name: 'balanced' }, spec });
      expect(body.spec).toMatchObject({ healthCheckNodePort: expect.any(Number) as number });
      expect(JSON.stringify(body.spec['ports'])).not.toContain('nodePort');
    });
    it('keeps clients for three hours, or not at all', async () => {
      const created = async (sessionAffinity: string, name: string): Promise<unknown> =>
        (await subject.admin.create(services, { metadata: { name }, spec: { sessionAffinity, ports } })).spec['sessionAffinityConfig'];
      expect(await created('ClientIP', 'sticky')).toEqual({ clientIP: { timeoutSeconds: 10_800 } });
      expect(await created('None', 'loose')).toBeUndefined();
    });
  });
}

function startingWith(text: string): string {
  return expect.stringMatching(new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}`)) as string;
}

function causesOf({ status, body }: Answer): unknown {
  return status === 422 ? body.details.causes.map(({ field, message }) => `${field}: ${message}`) : { status, message: body.message };
}
