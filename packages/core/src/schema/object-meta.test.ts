import { describe, expect, it } from 'vitest';
import { fieldErrorText, malformedMeta, validateObjectMeta } from './index.js';

describe('metadata of a new object', () => {
  const create = (metadata: Record<string, unknown>, namespaced = true): string[] =>
    validateObjectMeta(metadata, { namespaced }).map(fieldErrorText);

  it('needs a name and, for a namespaced kind, a namespace', () => {
    expect(create({})).toEqual(['metadata.name: Required value: name or generateName is required', 'metadata.namespace: Required value']);
    expect(create({ name: 'a', namespace: 'n' }, false)).toEqual(['metadata.namespace: Forbidden: not allowed on this type']);
    expect(create({ name: 'a-b.c', generateName: 'a-', namespace: 'n' })).toEqual([]);
  });

  it('has one controller at most, and no finalizers that contradict each other', () => {
    const owner = (name: string): object => ({ apiVersion: 'v1', kind: 'K', name, uid: name, controller: true });
    expect(create({ name: 'a', namespace: 'n', ownerReferences: [owner('x'), owner('y')] })[0]).toMatch(
      /Only one reference can have Controller set to true. Found "true" in references for K\/x and K\/y$/,
    );
    expect(create({ name: 'a', namespace: 'n', finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ]);
  });

  it('limits the size of annotations', () => {
    expect(create({ name: 'a', namespace: 'n', annotations: { k: 'x'.repeat(262_144) } })).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ]);
  });

  it('that cannot be decoded is reported with the decoder’s message', () => {
    expect(malformedMeta({ labels: { a: 5 } })).toBe('json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string');
    expect(malformedMeta({ managedFields: [null, { manager: 'a', apiVersion: 5 }] })).toBe(
      'json: cannot unmarshal number into Go struct field ManagedFieldsEntry.managedFields.apiVersion of type string',
    );
    expect(malformedMeta({ name: 'x', labels: null, managedFields: [{ fieldsV1: [] }], ownerReferences: [null] })).toBeUndefined();
  });
});
