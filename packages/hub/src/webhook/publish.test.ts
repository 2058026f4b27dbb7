import type { JsonObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { WebhookEndpoint } from './configurations.js';
import { conversionPatch } from './publish.js';

const OURS: WebhookEndpoint = { service: { namespace: 'ours', name: 'outrigger-webhook' }, caBundle: 'new' };
const clientConfig = (namespace: string, ca: string): JsonObject => ({
  service: { namespace, name: 'outrigger-webhook', port: 443, path: '/convert' },
  caBundle: btoa(ca),
});
const webhook = (config: JsonObject): JsonObject => ({
  strategy: 'Webhook',
  webhook: { clientConfig: config, conversionReviewVersions: ['v1'] },
});
const versions = (isServed: boolean): JsonObject[] => [
  { name: 'v1alpha1', served: true, storage: true },
  { name: 'v1beta1', served: isServed, storage: false },
];
const definition = (conversion: JsonObject, isServed: boolean): Parameters<typeof conversionPatch>[0] => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: {},
  spec: { conversion, versions: versions(isServed) },
});

const WANTED = { conversion: webhook(clientConfig('ours', 'new')), versions: versions(true) };

describe('the webhook that converts between versions', () => {
  it.each([
    { name: 'no webhook so far', conversion: { strategy: 'None' }, isServed: false, want: WANTED },
    { name: 'us, as it should be', conversion: webhook(clientConfig('ours', 'new')), isServed: true, want: undefined },
    {
      name: 'our webhook, trusted by an earlier authority',
      conversion: webhook(clientConfig('ours', 'old')),
      isServed: true,
      want: WANTED,
    },
    { name: 'us, though v1beta1 is not served', conversion: webhook(clientConfig('ours', 'new')), isServed: false, want: WANTED },
    { name: 'a webhook of another program', conversion: webhook(clientConfig('theirs', 'x')), isServed: true, want: undefined },
  ])('$name', ({ conversion, isServed, want }) => {
    expect(conversionPatch(definition(conversion, isServed), OURS)).toEqual(want);
  });
});
