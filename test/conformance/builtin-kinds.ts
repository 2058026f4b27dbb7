import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './api.js';
import { configMap, ownNamespace, type Subject } from './subject.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

const containers = [{ name: 'c', image: 'i:1' }];
const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
const AGE = expect.stringMatching(/^\d+s$/) as string;

/**
 * Tests the built-in kinds on which no controller of the test servers acts. The server must store, default and print them as Kubernetes
 * does.
 */
export function builtinKinds(subject: Subject): void {
  describe('built-in kinds', () => {
    const ns = ownNamespace(subject, 'kinds');
    const collection = (group: string, plural: string): string =>
      group === 'v1' ? ns.path(plural) : `/apis/${group}/namespaces/${ns.name}/${plural}`;
    const tableOf = async (path: string, name: string): Promise<Table> =>
      (await subject.admin.get(`${path}/${name}`, { accept: TABLE })).body as unknown as Table;

    it.each<[string, string, object, object]>([
      [
        'v1',
        'limitranges',
        { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
        { spec: { limits: [{ type: 'Container', max: { cpu: '1' }, default: { cpu: '1' }, defaultRequest: { cpu: '1' } }] } },
      ],
      ['v1', 'resourcequotas', { spec: { hard: { pods: '50' } } }, { spec: { hard: { pods: '50' } }, status: {} }],
      [
        'v1',
        'replicationcontrollers',
        { spec: { template } },
        { metadata: { labels: { app: 'web' } }, spec: { selector: { app: 'web' }, replicas: 1 } },
      ],
      [
        'v1',
        'podtemplates',
        { template },
        { metadata: { generation: 1 }, template: { spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' } } },
      ],
      [
        'v1',
        'endpoints',
        { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
        { subsets: [{ ports: [{ port: 80, protocol: 'TCP' }] }] },
      ],
      [
        'discovery.k8s.io/v1',
        'endpointslices',
        { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }] },
        { endpoints: [{ conditions: {} }], ports: [{ name: '', port: 80, protocol: 'TCP' }] },
      ],
      [
        'v1',
        'events',
        { involvedObject: { namespace: ns.name } },
        {
          involvedObject: { namespace: ns.name },
          source: {},
          firstTimestamp: null,
          lastTimestamp: null,
          eventTime: null,
          reportingComponent: '',
          reportingInstance: '',
        },
      ],
    ])('%s %s get their defaults', async (group, plural, body, stored) => {
      const created = await subject.admin.create(collection(group, plural), { metadata: { name: 'defaults' }, ...body });
      expect(created).toMatchObject(stored);
    });

    it.each<[string, string, object, readonly string[], readonly unknown[]]>([
      ['v1', 'resourcequotas', { spec: { hard: { pods: '50' } } }, ['Name', 'Request', 'Limit', 'Age'], ['row', '', '', AGE]],
      ['v1', 'podtemplates', { template }, ['Name', 'Containers', 'Images', 'Pod Labels'], ['row', 'c', 'i:1', 'app=web']],
      [
        'v1',
        'events',
        {
          involvedObject: { kind: 'Pod', name: 'p', namespace: ns.name },
          reason: 'Pulled',
          message: 'done',
          type: 'Normal',
          count: 3,
          source: { component: 'kubelet', host: 'node' },
          series: { count: 4, lastObservedTime: '2026-01-01T00:00:00.000000Z' },
        },
        ['Last Seen', 'Type', 'Reason', 'Object', 'Subobject', 'Source', 'Message', 'First Seen', 'Count', 'Name'],
        [expect.any(String), 'Normal', 'Pulled', 'pod/p', '', 'kubelet, node', 'done', '<unknown>', 4, 'row'],
      ],
      [
        'batch/v1',
        'cronjobs',
        { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers } } } } } },
        ['Name', 'Schedule', 'Timezone', 'Suspend', 'Active', 'Last Schedule', 'Age', 'Containers', 'Images', 'Selector'],
        ['row', '* * * * *', '<none>', 'False', 0, '<none>', AGE, 'c', 'i:1', '<none>'],
      ],
      [
        'rbac.authorization.k8s.io/v1',
        'rolebindings',
        {
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
          subjects: [{ kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' }],
        },
        ['Name', 'Role', 'Age', 'Users', 'Groups', 'ServiceAccounts'],
        ['row', 'ClusterRole/view', AGE, 'ann', '', ''],
      ],
      [
        'policy/v1',
        'poddisruptionbudgets',
        { spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } } },
        ['Name', 'Min Available', 'Max Unavailable', 'Allowed Disruptions', 'Age'],
        ['row', '1', 'N/A', 0, AGE],
      ],
      [
        'networking.k8s.io/v1',
        'ingresses',
        { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
        ['Name', 'Class', 'Hosts', 'Address', 'Ports', 'Age'],
        ['row', '<none>', '*', '', '80', AGE],
      ],
    ])('%s %s are printed in their columns', async (group, plural, body, columns, cells) => {
      await subject.admin.create(collection(group, plural), { metadata: { name: 'row' }, ...body });
      const table = await tableOf(collection(group, plural), 'row');
      expect(table.columnDefinitions.map(({ name }) => name)).toEqual(columns);
      expect(table.rows[0]?.cells).toEqual(cells);
    });

    it('own a field without a schema as a whole', async () => {
      const revision = { metadata: { name: 'whole' }, revision: 1, data: { a: { b: 1 } } };
      const { metadata } = await subject.admin.create(collection('apps/v1', 'controllerrevisions'), revision);
      expect(metadata.managedFields[0]?.fieldsV1).toEqual({ 'f:data': {}, 'f:revision': {} });
    });
    it('do not give their creator the fields that the kind adds', async () => {
      const { metadata } = await subject.admin.create('/api/v1/namespaces', { metadata: { name: `${ns.name}-own` } });
      expect(metadata.managedFields[0]?.fieldsV1).not.toHaveProperty('f:spec');
    });
    it('show an Event in both groups with the fields that each group always has', async () => {
      const event = { metadata: { name: 'both' }, reason: 'r', involvedObject: { kind: 'Pod', name: 'p', namespace: ns.name } };
      await subject.admin.create(collection('v1', 'events'), event);
      const { body } = await subject.admin.get(`${collection('events.k8s.io/v1', 'events')}/both`);
      expect(body).toMatchObject({
        regarding: event.involvedObject,
        deprecatedSource: {},
        deprecatedFirstTimestamp: null,
        deprecatedLastTimestamp: null,
        eventTime: null,
      });
      expect(Object.keys(body)).not.toContain('reportingController');
    });
    it('warn about a kind that is deprecated', async () => {
      const { headers } = await subject.admin.get(collection('v1', 'endpoints'));
      expect(headers['warning']).toBe('299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"');
    });
  });

  describe('eviction', () => {
    const ns = ownNamespace(subject, 'evict');
    const pod = { metadata: { name: 'p' }, spec: { containers, automountServiceAccountToken: false, terminationGracePeriodSeconds: 0 } };
    const evict = (name: string, query = ''): ReturnType<Subject['admin']['post']> =>
      subject.admin.post(ns.path(`pods/${name}/eviction${query}`), {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, namespace: ns.name },
      });
    beforeAll(async () => {
      await eventually(async () => expect((await subject.admin.get(ns.path('serviceaccounts/default'))).status).toBe(200));
      await subject.admin.create(ns.path('pods'), pod);
    });

    it('of no pod is NotFound', async () => {
      expect(await evict('none')).toMatchObject({ status: 404, body: { message: 'pods "none" not found' } });
    });
    it('on a dry run leaves the pod', async () => {
      expect(await evict('p', '?dryRun=All')).toMatchObject({ status: 201, body: { kind: 'Status', status: 'Success' } });
      expect((await subject.admin.get(ns.path('pods/p'))).body.metadata.deletionTimestamp).toBeUndefined();
    });
    it('deletes the pod', async () => {
      expect(await evict('p')).toMatchObject({ status: 201, body: { kind: 'Status', status: 'Success' } });
      await eventually(async () => expect((await subject.admin.get(ns.path('pods/p'))).status).toBe(404));
    });
  });

  describe('health', () => {
    it.each(['healthz', 'livez', 'readyz'])('/%s lists its checks if the request is verbose', async (probe) => {
      const { status, text } = await subject.admin.get(`/${probe}?verbose`);
      expect(status).toBe(200);
      expect(text).toMatch(/^\[\+\]ping ok\n/);
      expect(text).toMatch(new RegExp(`${probe} check passed\\n$`));
    });
  });

  describe('options of lists and watches', () => {
    const ns = ownNamespace(subject, 'options');
    const path = ns.path('configmaps');
    beforeAll(async () => {
      for (const name of ['a', 'b', 'c']) await subject.admin.create(path, configMap(name, {}, { labels: { mine: 'yes' } }));
    });
    const invalid = (problems: string): object => ({
      status: 422,
      body: { reason: 'Invalid', message: `ListOptions.meta.k8s.io "" is invalid: ${problems}` },
    });

    it('a limit below zero counts as no limit', async () => {
      const { body } = await subject.admin.get(`${path}?labelSelector=mine&limit=-1`);
      expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
    });
    it.each([
      ['sendInitialEvents=true', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
      [
        'resourceVersion=1&resourceVersionMatch=Nope',
        'resourceVersionMatch: Unsupported value: "Nope": supported values: "Exact", "NotOlderThan", ""',
      ],
      ['watch=true&continue=x', 'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided'],
      [
        'watch=true&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=5',
        '[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
      ],
    ])('%s is refused', async (query, problems) => {
      expect(await subject.admin.get(`${path}?${query}`)).toMatchObject(invalid(problems));
    });
    it.each(['resourceVersion=0', 'resourceVersion=', 'resourceVersion=0&limit=1'])(
      'a watch with %s begins with what there is',
      async (query) => {
        const watch = await subject.admin.watch(`${path}?labelSelector=mine&${query}`);
        const events = await watch.until(({ object }) => object.metadata.name === 'c');
        watch.close();
        expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'ADDED']);
      },
    );
    it('sendInitialEvents=false without a version begins with what comes', async () => {
      const query = 'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=mine';
      const watch = await subject.admin.watch(`${path}?${query}`);
      await subject.admin.create(path, configMap('d', {}, { labels: { mine: 'yes' } }));
      expect((await watch.next())?.object.metadata.name).toBe('d');
      watch.close();
    });
  });
}
