import { describe, expect, it } from 'vitest';
import { eventually, type Obj } from './api.js';
import type { Subject } from './subject.js';

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly singularName: string;
    readonly shortNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

export function discovery(subject: Subject): void {
  describe('discovery', () => {
    const get = async <T>(path: string, accept = 'application/json'): Promise<T> =>
      (await subject.admin.get(path, { accept })).body as unknown as T;

    it('lists the versions of the core group', async () => {
      expect(await get('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    });
    it('lists the groups with their preferred versions', async () => {
      const list = await get<{ kind: string; groups: readonly { name: string; preferredVersion: object; versions: readonly object[] }[] }>(
        '/apis',
      );
      expect(list.kind).toBe('APIGroupList');
      expect(list.groups).toContainEqual(
        expect.objectContaining({ name: 'apps', preferredVersion: { groupVersion: 'apps/v1', version: 'v1' } }),
      );
    });
    it('describes one group', async () => {
      expect(await get('/apis/apps')).toMatchObject({
        kind: 'APIGroup',
        name: 'apps',
        versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      });
    });
    it('lists the resources of a version with verbs, scope and short names', async () => {
      const list = await get<ResourceList>('/api/v1');
      expect(list).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
      const configMaps = list.resources.find(({ name }) => name === 'configmaps');
      expect(configMaps).toMatchObject({ kind: 'ConfigMap', namespaced: true, singularName: 'configmap', shortNames: ['cm'] });
      expect([...(configMaps?.verbs ?? [])].sort()).toEqual(
        ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'].sort(),
      );
    });
    it('lists subresources beside their resources', async () => {
      const { resources } = await get<ResourceList>('/api/v1');
      expect(resources.map(({ name }) => name)).toContain('namespaces/status');
      expect(resources.map(({ name }) => name)).toContain('serviceaccounts/token');
    });
    it('answers everything at once in the aggregated form', async () => {
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
      const list = await get<{ kind: string; items: readonly Obj[] }>('/apis', accept);
      expect(list).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
      expect(list.items.map(({ metadata }) => metadata.name)).toContain('apps');
    });
    it('answers NotFound for a group it does not serve', async () => {
      expect((await subject.admin.get('/apis/no.such.group')).status).toBe(404);
      expect((await subject.admin.get('/apis/apps/v9')).status).toBe(404);
    });
    it('answers NotFound for a version that a group does not have', async () => {
      for (const path of ['/apis/apps/v9', '/apis/apps/v9/deployments', '/api/v2']) {
        expect(await subject.admin.get(path), path).toMatchObject({ status: 404, body: { kind: 'Status', reason: 'NotFound' } });
      }
    });
    it('reports its version', async () => {
      expect(await get('/version')).toMatchObject({ major: '1', gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/) as string });
    });
    it('reports that it is healthy', async () => {
      for (const path of ['/healthz', '/livez', '/readyz'])
        expect(await subject.admin.get(path)).toMatchObject({ status: 200, text: 'ok' });
    });
    it('serves its metrics to scrapers', async () => {
      await subject.admin.get('/healthz');
      const watch = await subject.admin.watch('/api/v1/namespaces/default/configmaps');
      const { headers, text } = await subject.admin.get('/metrics');
      watch.close();
      expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
      const labels = 'component="",dry_run="",group="",resource="",scope="",subresource="/healthz",verb="GET",version=""';
      expect(text).toContain(`apiserver_request_total{code="200",${labels}}`);
      expect(text).toMatch(/^apiserver_resource_objects\{group="",resource="namespaces"\} \d+$/m);
      const open = 'component="apiserver",group="",resource="configmaps",scope="namespace",subresource="",verb="WATCH",version="v1"';
      expect(text).toContain(`apiserver_longrunning_requests{${open}} `);
      expect(text).toMatch(/^apiserver_request_duration_seconds_bucket\{.*le="0.005"\} \d+$/m);
      expect(text).toMatch(/^process_cpu_seconds_total \d/m);
    });
    it.each([
      ['/healthz', 200],
      ['/openapi/v2', 200],
      ['/apis/apps', 200],
      ['/apis/apps/v1', 405],
      ['/api/v1/namespaces/default', 405],
      ['/version', 405],
    ])('answers HEAD %s with %s', async (path, status) => {
      const answer = await subject.admin.send('HEAD', path);
      expect([answer.status, answer.text]).toEqual([status, '']);
    });
    it.each([
      ['/api/v1/namespaces//configmaps', 200, 'ConfigMapList'],
      ['/api/v1/namespaces/default/configmaps/', 200, 'ConfigMapList'],
      ['/api/v1/namespaces/default/configmaps//x', 404, 'Status'],
      ['//api/v1/namespaces/default/configmaps', 404, undefined],
      ['/apis//v1/configmaps', 404, undefined],
    ])('takes an empty part of a path for an empty name, not for none: %s', async (path, status, kind) => {
      const answer = await subject.admin.get(path);
      expect([answer.status, answer.body.kind]).toEqual([status, kind]);
    });
    it('serves OpenAPI v3 by group and version', async () => {
      const { paths } = await get<{ paths: Record<string, { serverRelativeURL: string }> }>('/openapi/v3');
      expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1']));
      const document = await get<{ components: { schemas: object } }>(paths['api/v1']?.serverRelativeURL ?? '');
      expect(document.components.schemas).toHaveProperty(['io.k8s.api.core.v1.ConfigMap', 'properties', 'data', 'additionalProperties']);
    });
    it('responds with 304 if the client has the current OpenAPI document', async () => {
      for (const path of ['/openapi/v2', '/openapi/v3/apis/apps/v1']) {
        // Other suites may add or remove CRDs between the two requests, so the test retries both.
        await eventually(async () => {
          const { headers } = await subject.admin.get(path);
          const again = await subject.admin.get(path, { 'if-none-match': headers.etag ?? '' });
          expect([path, again.status, again.text]).toEqual([path, 304, '']);
        });
      }
    });
    it('leads from the address of an older OpenAPI document to the newest', async () => {
      const { status, headers } = await subject.admin.get('/openapi/v3/apis/apps/v1?hash=OLD');
      expect([status, headers.location]).toEqual([301, expect.stringMatching(/^\/openapi\/v3\/apis\/apps\/v1\?hash=\w+$/)]);
      const newest = await subject.admin.get(headers.location ?? '');
      expect([newest.status, newest.headers['cache-control']]).toEqual([200, expect.stringMatching(/^public, immutable/)]);
    });
    it('serves OpenAPI v2 about everything, as JSON and as gnostic writes it', async () => {
      const { definitions } = await get<{ definitions: object }>('/openapi/v2');
      expect(definitions).toMatchObject({
        'io.k8s.api.core.v1.Service': {
          'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Service' }],
        },
        'io.k8s.api.core.v1.ServiceSpec': {
          properties: { ports: { 'x-kubernetes-patch-merge-key': 'port', 'x-kubernetes-patch-strategy': 'merge' } },
        },
      });
      const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
      const { headers, text } = await subject.admin.get('/openapi/v2', { accept });
      expect(headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
      expect(text).toContain('#/definitions/io.k8s.api.core.v1.ServiceSpec');
    });
  });
}
