import type { KubeObject } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APPLIED_UID, type Fields, OWNER, live, object, owned, situation } from '../fixtures.js';
import { prepare } from '../manifest/normalize.js';
import { fingerprint } from './fingerprint.js';
import { matches } from './matches.js';
import type { Situation, Step } from './situation.js';
import { stepUpdate } from './update.js';

const other = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'other' };

function brief(step: Step): string {
  return step.type === 'write' ? step.write.type : step.type;
}

describe('Update', () => {
  const wanted = object('a', { data: { a: '1' } }, { labels: { ours: 'yes' } });
  const cases: readonly { name: string; over: Partial<Situation>; manifest?: KubeObject; want: string }[] = [
    { name: 'an absent object is created', over: {}, want: 'create' },
    { name: 'an existing object that is ours needs nothing', over: { live: owned(wanted), isWritten: true }, want: 'settled' },
    { name: 'an existing object that was never written is written', over: { live: owned(wanted) }, want: 'replace' },
    { name: 'drift is repaired', over: { live: owned(object('a', { data: { a: '2' } })), isWritten: true }, want: 'replace' },
    {
      name: 'a label that another client removed is restored',
      over: { live: owned(object('a', { data: { a: '1' } })), isWritten: true },
      want: 'replace',
    },
    {
      name: 'a label that another client added stays',
      over: { live: owned(wanted, { labels: { ours: 'yes', x: 'y' } }), isWritten: true },
      want: 'settled',
    },
    { name: 'only the owner is missing', over: { live: live(wanted), isWritten: true }, want: 'owners' },
    { name: 'only the owner is too many', over: { live: owned(wanted), isWritten: true, isOwned: false }, want: 'owners' },
  ];
  it.each(cases)('$name', ({ over, want }) => expect(brief(stepUpdate(situation(wanted, over)))).toBe(want));

  it('keeps values that a webhook changed, as long as they stay the same', () => {
    const mutated = owned(object('a', { data: { a: 'mutated' } }));
    const after = fingerprint({ type: 'Update' }, mutated.object, wanted);
    expect(brief(stepUpdate(situation(wanted, { live: mutated, isWritten: true, after })))).toBe('settled');
    const drifted = owned(object('a', { data: { a: 'drifted' } }));
    expect(brief(stepUpdate(situation(wanted, { live: drifted, isWritten: true, after })))).toBe('replace');
  });

  function replaced(manifest: KubeObject, at: KubeObject, metadata: Fields = {}): KubeObject & Fields {
    const step = stepUpdate(situation(manifest, { live: live(at, metadata) }));
    if (step.type !== 'write' || step.write.type !== 'replace') throw new Error(`expected a replacement, got ${brief(step)}`);
    return step.write.object as KubeObject & Fields;
  }

  it('replaces the content, merges the metadata, finalizers included, and keeps the revision it saw', () => {
    const manifest = object('a', { data: { a: '1' } }, { labels: { l: 'new', 'gone-': '' }, annotations: { x: '1' }, finalizers: ['new'] });
    const at = object('a', { data: { old: 'x' } }, { labels: { l: 'old', gone: 'x', kept: 'y' } });
    expect(replaced(manifest, at, { finalizers: ['keep'], ownerReferences: [other], generation: 4 })).toEqual(
      object(
        'a',
        { data: { a: '1' } },
        {
          uid: 'uid-a',
          resourceVersion: '7',
          creationTimestamp: '2026-01-01T00:00:00Z',
          generation: 4,
          labels: { l: 'new', kept: 'y' },
          annotations: { x: '1' },
          finalizers: ['keep', 'new'],
          ownerReferences: [other, OWNER],
        },
      ),
    );
  });

  it("adds the manifest's own owners and removes those whose uid ends in a dash", () => {
    const third = { ...other, uid: 'third' };
    const manifest = object('a', {}, { ownerReferences: [third, { ...other, uid: 'other-' }] });
    expect(replaced(manifest, object('a', { data: { x: '1' } }), { ownerReferences: [other] }).metadata.ownerReferences).toEqual([
      third,
      OWNER,
    ]);
  });

  it('creates the object without keys that only request a removal', () => {
    const step = stepUpdate(situation(object('a', {}, { labels: { 'x-': '', y: '1' }, ownerReferences: [{ ...other, uid: 'u-' }] })));
    expect(step).toEqual({
      type: 'write',
      write: { type: 'create', object: object('a', {}, { labels: { y: '1' }, ownerReferences: [OWNER] }) },
    });
  });

  it('keeps the immutable fields of a Job', () => {
    const spec = { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'ns' }, spec } as KubeObject;
    const selector = { matchLabels: { 'controller-uid': 'x' } };
    const server = {
      ...job,
      spec: { selector, template: { metadata: { labels: selector.matchLabels }, ...spec.template }, parallelism: 2 },
    } as KubeObject;
    expect(brief(stepUpdate(situation(job, { live: owned(server) })))).toBe('settled');
    const faster = { ...job, spec: { ...spec, parallelism: 5 } } as KubeObject;
    expect(replaced(faster, server)['spec']).toEqual({ ...(server as unknown as { spec: object }).spec, parallelism: 5 });
  });

  it('keeps pull secrets of a ServiceAccount and certificates of webhooks unless the manifest sets them', () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } } as KubeObject;
    expect(replaced(account, { ...account, imagePullSecrets: [{ name: 'p' }] } as KubeObject)['imagePullSecrets']).toEqual([{ name: 'p' }]);
    const hook = (name: string, caBundle?: string): object => ({ name, clientConfig: { url: 'u', ...(caBundle ? { caBundle } : {}) } });
    const hooks = (...webhooks: object[]): KubeObject =>
      ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'w' },
        webhooks,
      }) as never;
    expect(replaced(hooks(hook('b'), hook('a', 'own')), hooks(hook('a', 'x'), hook('b', 'y')))['webhooks']).toEqual([
      hook('b', 'y'),
      hook('a', 'own'),
    ]);
  });

  describe('keeps the values that controllers fill in', () => {
    const manifest = (type: string, fields: Fields, metadata: Fields = {}): KubeObject => {
      const [apiVersion, kind] = type.split(' ');
      return prepare({ apiVersion, kind, metadata: { name: 'a', ...metadata }, ...fields } as KubeObject).object;
    };
    const hook = (caBundle: string): Fields => ({ webhooks: [{ name: 'h', clientConfig: { url: 'u', caBundle } }] });
    const role = (rules: readonly object[]): Fields => ({
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
      rules,
    });
    const trusting = { labels: { 'config.openshift.io/inject-trusted-cabundle': 'true' } };
    const served = { annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' } };
    const VALIDATING = 'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration';
    const CLUSTER_ROLE = 'rbac.authorization.k8s.io/v1 ClusterRole';
    const gathered = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    const cases: readonly { name: string; type: string; wanted: Fields; filled: Fields; metadata?: Fields; field: string }[] = [
      { name: 'an empty certificate of a webhook', type: VALIDATING, wanted: hook(''), filled: hook('x'), field: 'webhooks' },
      { name: 'no rules of an aggregated role', type: CLUSTER_ROLE, wanted: role([]), filled: role(gathered), field: 'rules' },
      { name: 'rules of an aggregated role', type: CLUSTER_ROLE, wanted: role([{ verbs: ['x'] }]), filled: role(gathered), field: 'rules' },
      {
        name: 'no trusted authorities',
        type: 'v1 ConfigMap',
        wanted: {},
        filled: { data: { 'ca-bundle.crt': 'x' } },
        metadata: trusting,
        field: 'data',
      },
      {
        name: 'an empty service authority',
        type: 'v1 ConfigMap',
        wanted: { data: { 'service-ca.crt': '' } },
        filled: { data: { 'service-ca.crt': 'x' } },
        metadata: served,
        field: 'data',
      },
    ];
    it.each(cases)('$name', ({ type, wanted, filled, metadata = {}, field }) => {
      const asked = manifest(type, wanted, metadata);
      const server = { ...asked, ...filled } as KubeObject;
      expect(brief(stepUpdate(situation(asked, { live: owned(server), isWritten: true })))).toBe('settled');
      expect(
        replaced({ ...asked, metadata: { ...asked.metadata, labels: { ...asked.metadata.labels, more: '1' } } }, server)[field],
      ).toEqual(filled[field]);
    });

    it('unless no controller does', () => {
      const asked = manifest(CLUSTER_ROLE, { rules: [] });
      expect(replaced(asked, { ...asked, rules: gathered } as KubeObject)['rules']).toEqual([]);
      const plain = manifest('v1 ConfigMap', { data: {} });
      expect(replaced(plain, { ...plain, data: { 'ca-bundle.crt': 'x' } } as KubeObject)['data']).toEqual({});
    });
  });

  const secret = (fields: Fields): KubeObject => ({ ...object('s', fields), kind: 'Secret' });
  it.each([
    { name: 'another type', manifest: secret({ type: 'a/b', data: {} }), at: secret({ type: 'Opaque' }), want: 'recreate' },
    { name: 'no type is Opaque', manifest: secret({ data: { a: 'x' } }), at: secret({ type: 'Opaque' }), want: 'replace' },
    {
      name: 'immutable and different',
      manifest: secret({ data: { a: 'x' } }),
      at: secret({ type: 'Opaque', immutable: true }),
      want: 'recreate',
    },
    {
      name: 'immutable and the same',
      manifest: secret({ data: { a: 'x' } }),
      at: secret({ immutable: true, data: { a: 'x' } }),
      want: 'settled',
    },
  ])('a Secret: $name → $want', ({ manifest, at, want }) =>
    expect(brief(stepUpdate(situation(manifest, { live: owned(at), isWritten: true })))).toBe(want),
  );

  it('after a replacement the object matches the manifest and is ours, whatever it was', () => {
    const json = fc.jsonValue({ depthSize: 'small', maxDepth: 3 });
    const texts = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'a-', 'b-'), fc.constantFrom('1', '2'));
    const manifest = fc.record({ data: json, labels: texts, annotations: texts });
    fc.assert(
      fc.property(manifest, manifest, (wanted, actual) => {
        // A manifest that both sets and removes a key cannot be satisfied.
        fc.pre([wanted.labels, wanted.annotations].every((it) => !Object.keys(it).some((key) => `${key}-` in it)));
        const asked = object('a', { data: wanted.data }, { labels: wanted.labels, annotations: wanted.annotations });
        const before = live(object('a', { data: actual.data }, { labels: actual.labels, annotations: actual.annotations }));
        const step = stepUpdate(situation(asked, { live: before }));
        if (step.type !== 'write' || step.write.type !== 'replace') throw new Error(brief(step));
        expect(matches(asked, step.write.object)).toBe(true);
        const after = { state: 'present', object: step.write.object } as const;
        expect(stepUpdate(situation(asked, { live: after, isWritten: true }))).toEqual({ type: 'settled' });
        expect(step.write.object.metadata.ownerReferences?.some(({ uid }) => uid === APPLIED_UID)).toBe(true);
      }),
    );
  });
});

describe('matches', () => {
  const cases: readonly { name: string; wanted: Fields; actual: Fields; want: boolean }[] = [
    { name: 'defaults of the server', wanted: { spec: { a: 1 } }, actual: { spec: { a: 1, b: 2 } }, want: true },
    {
      name: 'an empty value and an absent one',
      wanted: { spec: { a: {}, b: '', c: 0, d: false, e: null } },
      actual: { spec: {} },
      want: true,
    },
    { name: 'an absent section without content', wanted: { spec: { a: '' } }, actual: {}, want: true },
    { name: 'another value', wanted: { spec: { a: 1 } }, actual: { spec: { a: 2 } }, want: false },
    { name: 'zero instead of a value', wanted: { spec: { a: 0 } }, actual: { spec: { a: 2 } }, want: false },
    { name: 'a longer list', wanted: { spec: { a: [1] } }, actual: { spec: { a: [1, 2] } }, want: false },
    { name: 'a list in another order', wanted: { spec: { a: [1, 2] } }, actual: { spec: { a: [2, 1] } }, want: false },
    { name: 'defaults inside of lists', wanted: { spec: { a: [{ n: 1 }] } }, actual: { spec: { a: [{ n: 1, m: 2 }] } }, want: true },
    { name: 'the status', wanted: { status: { a: 1 } }, actual: { status: { a: 2 } }, want: true },
    { name: 'names of Object.prototype', wanted: { spec: { toString: 'x' } }, actual: { spec: {} }, want: false },
  ];
  it.each(cases)('$name: $want', ({ wanted, actual, want }) => expect(matches(object('a', wanted), object('a', actual))).toBe(want));
});
