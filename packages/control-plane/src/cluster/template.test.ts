import { describe, expect, it } from 'vitest';
import { comparableTemplate } from './template.js';

const labels = { app: 'x' };
const template = (container: object = {}, spec: object = {}, metadata: object = {}): object => ({
  metadata: { labels, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i:1', ...container }], ...spec },
});

describe('pod templates are the same', () => {
  it.each<[string, object, object]>([
    ['with the label of a ReplicaSet', template({}, {}, { labels: { ...labels, 'pod-template-hash': 'abc' } }), template()],
    ['with a creation time of null', template({}, {}, { creationTimestamp: null }), template()],
    ['with empty annotations', template({}, {}, { annotations: {} }), template()],
    ['with empty resources', template({ resources: {} }), template()],
    ['with empty limits', template({ resources: { limits: {} } }), template()],
    ['with empty lists', template({ args: [], env: [] }, { volumes: [], tolerations: null }), template()],
    ['with an empty text', template({ workingDir: '' }, { hostname: '' }), template()],
    ['with an environment variable that is empty', template({ env: [{ name: 'A', value: '' }] }), template({ env: [{ name: 'A' }] })],
    ['with false for a flag that is off by default', template({ tty: false, stdin: false }, { hostNetwork: false }), template()],
    ['with no initial delay', template({ livenessProbe: { initialDelaySeconds: 0 } }), template({ livenessProbe: {} })],
    [
      'with an equal quantity',
      template({ resources: { limits: { memory: '1Gi' } } }),
      template({ resources: { limits: { memory: '1073741824' } } }),
    ],
    [
      'with the divisor 0',
      template({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } } }] }),
      template({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }] }),
    ],
  ])('%s', (_, one, other) => expect(comparableTemplate(one)).toBe(comparableTemplate(other)));
});

describe('pod templates differ', () => {
  const term = (more: object): object => template({}, { affinity: { podAffinity: { requiredDuringScheduling: [more] } } });
  it.each<[string, object, object]>([
    ['in an image', template({ image: 'i:2' }), template()],
    ['in a label with an empty value', template({}, {}, { labels: { ...labels, b: '' } }), template()],
    ['in an annotation with an empty value', template({}, {}, { annotations: { b: '' } }), template()],
    ['in an empty argument', template({ args: ['a', ''] }), template({ args: ['a'] })],
    ['in a selector for every namespace', term({ namespaceSelector: {} }), term({})],
    ['in a token that is not mounted', template({}, { automountServiceAccountToken: false }), template()],
    ['in the user 0', template({ securityContext: { runAsUser: 0 } }), template({ securityContext: {} })],
    ['in an amount', template({ resources: { limits: { cpu: '1' } } }), template({ resources: { limits: { cpu: '1m' } } })],
    ['in a limit of 0', template({ resources: { limits: { cpu: '0' } } }), template()],
  ])('%s', (_, one, other) => expect(comparableTemplate(one)).not.toBe(comparableTemplate(other)));
});
