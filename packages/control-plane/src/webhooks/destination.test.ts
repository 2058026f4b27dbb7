import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { addressOf, type ServiceLookup, urlOf } from './destination.js';

const object = (metadata: object, fields: object): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata, ...fields });
const service = (spec: object): KubeObject => object({ name: 'hook' }, { spec });
const port = { name: 'https', port: 443, targetPort: 9443 };
const slice = (fields: object): KubeObject =>
  object(
    { name: 'hook-1', labels: { 'kubernetes.io/service-name': 'hook' } },
    { ports: [{ name: 'https', port: 9443 }], endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }], ...fields },
  );
const lookup = (found: { service?: KubeObject; slices?: readonly KubeObject[]; endpoints?: KubeObject }): ServiceLookup => ({
  service: () => found.service,
  endpointSlices: () => found.slices ?? [],
  endpoints: () => found.endpoints,
});
const reference = { namespace: 'ns', name: 'hook', port: 443 };

describe('the address of a webhook behind a Service', () => {
  it.each([
    {
      name: 'is the address of its pods',
      found: lookup({ service: service({ ports: [port] }), slices: [slice({})] }),
      want: '10.0.0.1:9443',
    },
    {
      name: 'is that of a pod that is ready',
      found: lookup({
        service: service({ ports: [port] }),
        slices: [slice({ endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }, { addresses: ['10.0.0.2'] }] })],
      }),
      want: '10.0.0.2:9443',
    },
    {
      name: 'may come from Endpoints',
      found: lookup({
        service: service({ ports: [{ port: 443 }] }),
        endpoints: object({}, { subsets: [{ addresses: [{ ip: '10.0.0.3' }], ports: [{ port: 8443 }] }] }),
      }),
      want: '10.0.0.3:8443',
    },
    {
      name: 'is the name of an external one',
      found: lookup({ service: service({ type: 'ExternalName', externalName: 'example.com' }) }),
      want: 'example.com:443',
    },
    { name: 'is nowhere without a Service', found: lookup({}), want: 'service "hook" not found' },
    {
      name: 'is nowhere on another port',
      found: lookup({ service: service({ ports: [{ port: 80 }] }) }),
      want: 'no service port 443 found for service "hook"',
    },
    {
      name: 'is nowhere without pods, whatever address the Service has',
      found: lookup({ service: service({ clusterIP: '10.96.0.10', ports: [port] }), slices: [slice({ endpoints: [] })] }),
      want: 'no endpoints available for service "hook"',
    },
  ])('$name', ({ found, want }) => {
    const message = (): string => {
      try {
        const { host, port: number } = addressOf(reference, found);
        return `${host}:${number}`;
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(message()).toBe(want);
  });
});

it.each([
  [{ url: 'https://example.com/hook' }, 'https://example.com/hook?timeout=10s'],
  [{ service: { namespace: 'ns', name: 'hook' } }, 'https://hook.ns.svc:443/?timeout=10s'],
  [{ service: { namespace: 'ns', name: 'hook', port: 8443, path: '/validate' } }, 'https://hook.ns.svc:8443/validate?timeout=10s'],
])('a webhook at %j is called at %s', (config, url) => expect(urlOf(config, 10)).toBe(url));
