import { createVirtualRuntime, Simulator } from '@outrigger/kube/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { startVirtualPlane, type VirtualPlane } from './fixtures.js';

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const LONG = 'a'.repeat(900_000);
/** A short pattern that compiles to a large program. The size of the program times the length of `LONG` is far above any limit. */
const PATTERN = '(a{30}){30}b';

const OUT_OF_BUDGET = /exceeds the limit|cost budget|costs more/;

let server: VirtualPlane;
beforeAll(async () => {
  const simulator = new Simulator({ seed: 'cost' });
  server = await startVirtualPlane(simulator, createVirtualRuntime(simulator, 'server'));
});

const configMap = (name: string, text: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { case: name } },
  data: { text },
});

const matching = (name: string): object => ({
  matchConstraints: {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { case: name } },
  },
});

const policies: readonly [name: string, spec: object][] = [
  ['validation', { validations: [{ expression: `!object.data.text.matches("${PATTERN}")` }] }],
  [
    'variable',
    { variables: [{ name: 'v', expression: `object.data.text.matches("${PATTERN}")` }], validations: [{ expression: '!variables.v' }] },
  ],
  [
    'condition',
    { matchConditions: [{ name: 'c', expression: `object.data.text.matches("${PATTERN}")` }], validations: [{ expression: 'true' }] },
  ],
  ['loop', { validations: [{ expression: 'object.data.text.split("").all(a, object.data.text.split("").all(b, a == b))' }] }],
  ['many', { validations: Array.from({ length: 500 }, () => ({ expression: '!object.data.text.matches("^(b|c)*d$")' })) }],
];

describe('AT-53 an expression stored in the API costs a request its budget and no more', () => {
  it.each(policies)('a ValidatingAdmissionPolicy: %s', async (name, spec) => {
    await server.send('POST', `${REGISTRATION}/validatingadmissionpolicies`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: { ...matching(name), ...spec },
    });
    await server.send('POST', `${REGISTRATION}/validatingadmissionpolicybindings`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    });
    await server.advance(1000);
    expect(await server.attempt('POST', CONFIG_MAPS, configMap(name, LONG))).toMatch(OUT_OF_BUDGET);
    expect(await server.attempt('POST', CONFIG_MAPS, configMap(`${name}-other`, LONG))).toBe('ok');
  });

  it('the matchConditions of a webhook', async () => {
    await server.send('POST', `${REGISTRATION}/validatingwebhookconfigurations`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'webhook' },
      webhooks: [
        {
          name: 'a.example.com',
          clientConfig: { url: 'https://127.0.0.1:1/x' },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
          objectSelector: { matchLabels: { case: 'webhook' } },
          matchConditions: [{ name: 'c', expression: `object.data.text.matches("${PATTERN}")` }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    await server.advance(1000);
    expect(await server.attempt('POST', CONFIG_MAPS, configMap('webhook', LONG))).toMatch(OUT_OF_BUDGET);
    expect(await server.attempt('POST', CONFIG_MAPS, configMap('webhook-other', LONG))).toBe('ok');
  });

  const schemas: readonly [name: string, spec: object, value: unknown][] = [
    ['rules', { type: 'string', 'x-kubernetes-validations': [{ rule: `!self.matches("${PATTERN}")` }] }, LONG],
    ['patterns', { type: 'string', pattern: PATTERN }, LONG],
    [
      'items',
      { type: 'array', items: { type: 'string', 'x-kubernetes-validations': [{ rule: '!self.matches("^(b|c){90}d$")' }] } },
      // All items together are small enough to be stored.
      Array.from({ length: 250 }, () => 'a'.repeat(5000)),
    ],
  ];
  it.each(schemas)('the %s of a CustomResourceDefinition', async (plural, spec, value) => {
    await server.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural, singular: plural, kind: plural.toUpperCase(), listKind: `${plural.toUpperCase()}List` },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
      },
    });
    await server.advance(1000);
    const object = (name: string, of: unknown): object => ({
      apiVersion: 'example.com/v1',
      kind: plural.toUpperCase(),
      metadata: { name },
      spec: of,
    });
    expect(await server.attempt('POST', `/apis/example.com/v1/${plural}`, object('long', value))).toMatch(OUT_OF_BUDGET);
    const short = Array.isArray(value) ? ['a'] : plural === 'patterns' ? `${'a'.repeat(900)}b` : 'a';
    expect(await server.attempt('POST', `/apis/example.com/v1/${plural}`, object('short', short))).toBe('ok');
  });

  it('a definition with a pattern whose program is too large is refused', async () => {
    const pattern = 'a{1000}'.repeat(100);
    const spec = { type: 'string', pattern };
    const refusal = await server.attempt('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'larges.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'larges', singular: 'large', kind: 'Large', listKind: 'LargeList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
      },
    });
    expect(refusal).toContain('expression too large');
  });
});
