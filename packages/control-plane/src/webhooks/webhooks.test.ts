import { describe, expect, it } from 'vitest';
import { Api } from '../handle/fixtures.js';
import { widgetDefinition } from '../handle/fixtures-widgets.js';
import type { WebhookCall, WebhookTransport } from './contract.js';

interface Review {
  readonly uid: string;
  readonly object: { readonly apiVersion: string };
  readonly desiredAPIVersion?: string;
  readonly objects: readonly object[];
}
interface ReviewBody {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: Review;
}

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Returns a server whose webhook calls are answered by `respond`. */
async function given(respond: (request: Review) => object): Promise<{ api: Api; calls: WebhookCall[] }> {
  const calls: WebhookCall[] = [];
  const transport: WebhookTransport = async (call) => {
    calls.push(call);
    const { apiVersion, kind, request } = bodyOf(call);
    const text = JSON.stringify({ apiVersion, kind, response: { uid: request.uid, ...respond(request) } });
    return { status: 200, contentType: 'application/json', text };
  };
  const api = new Api({ webhooks: transport });
  await api.namespace('default');
  return { api, calls };
}

function bodyOf({ body }: WebhookCall): ReviewBody {
  return body as unknown as ReviewBody;
}

async function configure(api: Api, phase: 'mutating' | 'validating', fields: object): Promise<void> {
  const webhook = {
    name: 'hook.example.com',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: 'https://hook.example.com/x' },
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] }],
    ...fields,
  };
  const path = `${REGISTRATION}/${phase}webhookconfigurations`;
  expect(await api.post(path, { metadata: { name: 'hooks' }, webhooks: [webhook] })).toMatchObject({ metadata: { generation: 1 } });
}

describe('webhooks', () => {
  it('are called only while they are configured', async () => {
    const { api, calls } = await given(() => ({ allowed: false }));
    expect(await api.post(CONFIG_MAPS, { metadata: { name: 'a' } })).toMatchObject({ kind: 'ConfigMap' });
    await configure(api, 'validating', {});
    expect(await api.post(CONFIG_MAPS, { metadata: { name: 'b' } })).toMatchObject({ code: 400 });
    await api.delete(`${REGISTRATION}/validatingwebhookconfigurations/hooks`);
    expect(await api.post(CONFIG_MAPS, { metadata: { name: 'b' } })).toMatchObject({ kind: 'ConfigMap' });
    expect(calls).toHaveLength(1);
  });

  it('behind a Service are called at its pods, by the name of the Service', async () => {
    const { api, calls } = await given(() => ({ allowed: true }));
    await api.post('/api/v1/namespaces/default/services', {
      metadata: { name: 'hook' },
      spec: { ports: [{ port: 443, targetPort: 9443 }] },
    });
    const caBundle = btoa('an authority');
    await configure(api, 'validating', { clientConfig: { service: { name: 'hook', namespace: 'default', path: '/v' }, caBundle } });
    expect(await api.post(CONFIG_MAPS, { metadata: { name: 'a' } })).toMatchObject({
      code: 500,
      message: /"https:\/\/hook.default.svc:443\/v\?timeout=10s": no endpoints available for service "hook"$/,
    });
    await api.delete(`${REGISTRATION}/validatingwebhookconfigurations/hooks`);
    await api.post('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name: 'hook-1', labels: { 'kubernetes.io/service-name': 'hook' } },
      addressType: 'IPv4',
      ports: [{ port: 9443 }],
      endpoints: [{ addresses: ['127.0.0.1'] }],
    });
    await configure(api, 'validating', { clientConfig: { service: { name: 'hook', namespace: 'default', path: '/v' }, caBundle } });
    expect(await api.post(CONFIG_MAPS, { metadata: { name: 'a' } })).toMatchObject({ kind: 'ConfigMap' });
    const [call] = calls;
    expect(call).toMatchObject({
      url: 'https://hook.default.svc:443/v?timeout=10s',
      address: { host: '127.0.0.1', port: 9443 },
      authorities: 'an authority',
    });
  });

  it('of version v1beta1 need not repeat the uid or name the patch type', async () => {
    const patch = btoa(JSON.stringify([{ op: 'add', path: '/data', value: { a: 'b' } }]));
    const { api, calls } = await given(() => ({ uid: undefined, allowed: true, patch }));
    await configure(api, 'mutating', { admissionReviewVersions: ['v1beta1', 'v1'] });
    expect(await api.post(CONFIG_MAPS, { metadata: { name: 'a' } })).toMatchObject({ data: { a: 'b' } });
    expect(calls[0]?.body).toMatchObject({ apiVersion: 'admission.k8s.io/v1beta1' });
  });

  it('that do not answer in time fail after their timeout', async () => {
    const api = new Api({ webhooks: () => new Promise(() => undefined) });
    await api.namespace('default');
    await configure(api, 'validating', { timeoutSeconds: 3 });
    const answer = api.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    await new Promise((resolve) => setImmediate(resolve));
    api.runtime.advance(3_000);
    expect(await answer).toMatchObject({ code: 500, message: /"https:\/\/hook.example.com\/x\?timeout=3s": context deadline exceeded$/ });
  });

  it('see, and change, the version their rules name', async () => {
    const { api, calls } = await given(({ desiredAPIVersion, objects, object }) =>
      desiredAPIVersion
        ? { result: { status: 'Success' }, convertedObjects: objects.map((each) => ({ ...each, apiVersion: desiredAPIVersion })) }
        : {
            allowed: true,
            patchType: 'JSONPatch',
            patch: btoa(JSON.stringify([{ op: 'add', path: '/spec/size', value: object.apiVersion }])),
          },
    );
    const definition = widgetDefinition((spec) => {
      const [v1] = spec['versions'] as object[];
      spec['versions'] = [{ ...structuredClone(v1), name: 'v1beta1', storage: false }, v1];
      const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://hook.example.com/convert' } };
      spec['conversion'] = { strategy: 'Webhook', webhook };
    });
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const rules = [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'], operations: ['CREATE'] }];
    await configure(api, 'mutating', { rules });
    const created = await api.post('/apis/example.com/v1beta1/namespaces/default/widgets', {
      apiVersion: 'example.com/v1beta1',
      kind: 'Widget',
      metadata: { name: 'a' },
      spec: { color: 'red' },
    });
    expect(created).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: { size: 'example.com/v1' } });
    expect(calls.map(bodyOf).find(({ kind }) => kind === 'AdmissionReview')?.request).toMatchObject({
      kind: { version: 'v1' },
      resource: { version: 'v1' },
      requestKind: { version: 'v1beta1' },
      requestResource: { version: 'v1beta1' },
      object: { apiVersion: 'example.com/v1' },
    });
  });

  it('convert the kinds for which no conversion function was passed', async () => {
    const calls: string[] = [];
    const api = new Api({
      convert: (object, apiVersion) => ({ ...object, apiVersion }),
      convertsInProcess: (definition) => definition === 'gadgets.example.com',
      webhooks: ({ url }) => {
        calls.push(url);
        return Promise.reject(new Error('nobody there'));
      },
    });
    await api.namespace('default');
    for (const [plural, kind] of [
      ['widgets', 'Widget'],
      ['gadgets', 'Gadget'],
    ] as const) {
      const definition = widgetDefinition((spec) => {
        const [v1] = spec['versions'] as object[];
        spec['versions'] = [{ ...structuredClone(v1), name: 'v1beta1', storage: false }, v1];
        spec['names'] = { plural, kind };
        const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://hook.example.com/convert' } };
        spec['conversion'] = { strategy: 'Webhook', webhook };
      });
      const metadata = { name: `${plural}.example.com` };
      await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { ...(definition as object), metadata });
      const object = { apiVersion: 'example.com/v1', kind, metadata: { name: 'a' }, spec: { color: 'red' } };
      expect(await api.post(`/apis/example.com/v1/namespaces/default/${plural}`, object)).toMatchObject({ kind });
    }
    const read = (plural: string): Promise<unknown> => api.get(`/apis/example.com/v1beta1/namespaces/default/${plural}/a`);
    expect(await read('gadgets')).toMatchObject({ apiVersion: 'example.com/v1beta1' });
    const message =
      'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://hook.example.com/convert?timeout=30s": nobody there';
    expect(await read('widgets')).toMatchObject({ code: 500, message });
    expect(calls).toHaveLength(1);
  });
});
