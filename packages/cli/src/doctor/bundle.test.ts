import { describe, expect, it } from 'vitest';
import { forSupport } from './bundle.js';

const CANARY = 'canary-7f3a';

describe('AT-29 the support bundle holds no secrets', () => {
  it.each([
    [
      'manifests of a template',
      {
        kind: 'AddOnTemplate',
        spec: {
          agentSpec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { x: CANARY } }] } },
        },
      },
    ],
    ['variables of a configuration', { kind: 'AddOnDeploymentConfig', spec: { customizedVariables: [{ name: 'A', value: CANARY }] } }],
    ['a proxy with a password in it', { kind: 'AddOnDeploymentConfig', spec: { proxyConfig: { httpProxy: `http://u:${CANARY}@p` } } }],
    ['anything that is called a token', { kind: 'X', spec: { deep: [{ bearerToken: CANARY }] } }],
    [
      'the last-applied annotation of kubectl',
      { kind: 'X', metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': CANARY } } },
    ],
  ])('%s', (_, object) => {
    const full = { apiVersion: 'v1', ...object, metadata: { name: 'x', ...('metadata' in object ? object.metadata : {}) } };
    expect(JSON.stringify(forSupport(full))).not.toContain(CANARY);
  });
  it('keeps names, conditions and references', () => {
    const object = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, status: { conditions: [{ type: 'Available', message: 'm' }] } };
    expect(forSupport(object)).toMatchObject({ metadata: { name: 'x' }, status: { conditions: [{ type: 'Available', message: 'm' }] } });
  });
});
