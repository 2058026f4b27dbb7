import { describe, expect, it } from 'vitest';
import { Api } from '../handle/fixtures.js';
import { expose } from './exposition.js';

const CMS = '/api/v1/namespaces/one/configmaps';

/** Returns the samples that begin with `start`, without their common labels. */
async function scraped(api: Api, start: string): Promise<string[]> {
  const text = String(await api.get('/metrics'));
  return text
    .split('\n')
    .filter((line) => line.startsWith(start))
    .map((line) => line.replace(/component="apiserver",|dry_run="",|subresource="",/g, ''));
}

describe('metrics', () => {
  it('count requests by resource, verb and status code', async () => {
    const api = new Api();
    await api.namespace('one');
    await api.post(CMS, { metadata: { name: 'a' } });
    await api.post(CMS, { metadata: { name: 'a' } });
    await api.apply(`${CMS}/a`, 'me', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    await api.get(CMS);
    await api.get('/api/v1/configmaps');
    expect(await scraped(api, 'apiserver_request_total{')).toEqual([
      'apiserver_request_total{code="201",group="",resource="namespaces",scope="cluster",verb="POST",version="v1"} 1',
      'apiserver_request_total{code="201",group="",resource="configmaps",scope="namespace",verb="POST",version="v1"} 1',
      'apiserver_request_total{code="409",group="",resource="configmaps",scope="namespace",verb="POST",version="v1"} 1',
      'apiserver_request_total{code="200",group="",resource="configmaps",scope="resource",verb="APPLY",version="v1"} 1',
      'apiserver_request_total{code="200",group="",resource="configmaps",scope="namespace",verb="LIST",version="v1"} 1',
      'apiserver_request_total{code="200",group="",resource="configmaps",scope="cluster",verb="LIST",version="v1"} 1',
    ]);
  });

  it('have no label with a value that only a caller chose', async () => {
    const api = new Api();
    await api.get('/apis/made.up/v1/things');
    await api.get('/made/up');
    await api.get('/api/v1/namespaces/one/configmaps/%zz');
    await api.get(`${CMS}/a/madeup`);
    expect(String(await api.get('/metrics'))).not.toMatch(/made|%zz/);
  });

  it('sort durations into buckets and leave watches out', async () => {
    const api = new Api();
    await api.send('GET', `${CMS}?watch=1`);
    await api.get(CMS);
    const buckets = await scraped(api, 'apiserver_request_duration_seconds');
    expect(buckets.filter((line) => line.includes('WATCH'))).toEqual([]);
    expect(buckets.find((line) => line.includes('le="0.005"'))).toMatch(/verb="LIST".* 1$/);
    expect(buckets.find((line) => line.includes('_count'))).toMatch(/ 1$/);
    expect(await scraped(api, 'apiserver_longrunning_requests')).toEqual([
      'apiserver_longrunning_requests{group="",resource="configmaps",scope="namespace",verb="WATCH",version="v1"} 1',
    ]);
  });

  it('report the number of stored objects and the resources of the process', async () => {
    const api = new Api({ processUsage: () => ({ cpuSeconds: 1.5, residentBytes: 1024, startSeconds: 7 }) });
    await api.namespace('one');
    await api.post(CMS, { metadata: { name: 'a' } });
    expect(await scraped(api, 'apiserver_resource_objects{group="",resource="configmaps"}')).toEqual([
      'apiserver_resource_objects{group="",resource="configmaps"} 1',
    ]);
    expect(await scraped(api, 'apiserver_storage_objects{resource="deployments.apps"}')).toHaveLength(1);
    expect(await scraped(api, 'process_')).toEqual([
      'process_cpu_seconds_total 1.5',
      'process_resident_memory_bytes 1024',
      'process_start_time_seconds 7',
    ]);
    expect(await scraped(api, 'apiserver_current_inflight_requests')).toEqual([
      'apiserver_current_inflight_requests{request_kind="readOnly"} 1',
      'apiserver_current_inflight_requests{request_kind="mutating"} 0',
    ]);
  });

  it('are written in the text format of Prometheus', () => {
    const samples = [{ labels: { a: 'say "\\"\n', b: '' }, value: 2 }, { value: 0.5 }];
    expect(
      expose([
        { name: 'x', type: 'gauge', help: 'What x is.', samples },
        { name: 'none', type: 'gauge', help: '', samples: [] },
      ]),
    ).toBe('# HELP x What x is.\n# TYPE x gauge\nx{a="say \\"\\\\\\"\\n",b=""} 2\nx 0.5\n');
  });
});
