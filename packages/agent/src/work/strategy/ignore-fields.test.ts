import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { object } from '../fixtures.js';
import { parseJqPath, parseJsonPath, parsePointer } from './field-path-syntax.js';
import { removeAt } from './field-path.js';
import { ignoredPaths } from './ignore-fields.js';

const pod = {
  metadata: { annotations: { 'example.com/x.y': '1', z: '2' } },
  spec: {
    replicas: 2,
    containers: [
      { name: 'a', image: 'x', ports: [{ port: 1 }] },
      { name: 'b', image: 'y' },
    ],
  },
};

describe('fields by JSONPath', () => {
  it.each([
    ['.spec.replicas', { ...pod, spec: { containers: pod.spec.containers } }],
    ['$.spec.replicas', { ...pod, spec: { containers: pod.spec.containers } }],
    ['{.spec.replicas}', { ...pod, spec: { containers: pod.spec.containers } }],
    ['spec.replicas', { ...pod, spec: { containers: pod.spec.containers } }],
    ["$['metadata']['annotations']['example.com/x.y']", { ...pod, metadata: { annotations: { z: '2' } } }],
    ['.metadata.annotations.example\\.com/x\\.y', { ...pod, metadata: { annotations: { z: '2' } } }],
    [
      '.spec.containers[?(@.name=="a")].image',
      { ...pod, spec: { ...pod.spec, containers: [{ name: 'a', ports: [{ port: 1 }] }, pod.spec.containers[1]] } },
    ],
    ['.spec.containers[*].image', { ...pod, spec: { ...pod.spec, containers: [{ name: 'a', ports: [{ port: 1 }] }, { name: 'b' }] } }],
    ['.spec.containers[1]', { ...pod, spec: { ...pod.spec, containers: [pod.spec.containers[0]] } }],
    ['.spec.containers[-1]', { ...pod, spec: { ...pod.spec, containers: [pod.spec.containers[0]] } }],
    ['.nothing.here', pod],
  ])('%s', (path, want) => expect(removeAt(pod, parseJsonPath(path))).toEqual(want));
});

describe('fields by JSON pointer', () => {
  it.each([
    ['/spec/replicas', { ...pod, spec: { containers: pod.spec.containers } }],
    ['/metadata/annotations/example.com~1x.y', { ...pod, metadata: { annotations: { z: '2' } } }],
    ['/spec/containers/0/ports', { ...pod, spec: { ...pod.spec, containers: [{ name: 'a', image: 'x' }, pod.spec.containers[1]] } }],
    ['/spec/missing/deep', pod],
  ])('%s', (path, want) => expect(removeAt(pod, parsePointer(path))).toEqual(want));
});

describe('fields by jq path expression', () => {
  it.each([
    ['.spec.replicas', { ...pod, spec: { containers: pod.spec.containers } }],
    ['.metadata.annotations["example.com/x.y"]', { ...pod, metadata: { annotations: { z: '2' } } }],
    ['.metadata.annotations."example.com/x.y"', { ...pod, metadata: { annotations: { z: '2' } } }],
    ['.spec.containers[].image', { ...pod, spec: { ...pod.spec, containers: [{ name: 'a', ports: [{ port: 1 }] }, { name: 'b' }] } }],
    [
      '.spec.containers[] | select(.name == "b") | .image',
      { ...pod, spec: { ...pod.spec, containers: [pod.spec.containers[0], { name: 'b' }] } },
    ],
    ['.spec.containers[] | select(.name == "b")', { ...pod, spec: { ...pod.spec, containers: [pod.spec.containers[0]] } }],
  ])('%s', (path, want) => expect(removeAt(pod, parseJqPath(path))).toEqual(want));
});

describe('paths that cannot be read', () => {
  it.each([
    [{ jsonPaths: ['..replicas'] }, 'JSONPath "..replicas"'],
    [{ jsonPaths: ['.a[0:2]'] }, 'JSONPath ".a[0:2]"'],
    [{ jsonPaths: [''] }, 'JSONPath "" names no field'],
    [{ jsonPointers: ['spec'] }, 'must start with "/"'],
    [{ jsonPointers: ['/a~2'] }, '"~" must be followed by 0 or 1'],
    [{ jqPathExpressions: ['.spec | keys'] }, 'jq expression ".spec | keys"'],
    [{ jqPathExpressions: ['.a[] | select(.b == c)'] }, 'jq expression ".a[] | select(.b == c)": c is neither'],
    [{ jqPathExpressions: ['.a,.b'] }, 'jq expression ".a,.b"'],
    [{ jsonPaths: ['.metadata.name'] }, 'cannot be ignored'],
    [{ jqPathExpressions: ['.kind'] }, 'cannot be ignored'],
    [{ jsonPaths: ['.*.name'] }, 'cannot be ignored'],
    [{ jsonPaths: ['.metadata.*'] }, 'cannot be ignored'],
    [{ jqPathExpressions: ['.metadata[]'] }, 'cannot be ignored'],
  ])('%j', (rule, message) => {
    expect(() => ignoredPaths([{ condition: 'OnSpokePresent', ...rule }])).toThrow(message);
    expect(() => ignoredPaths([{ condition: 'OnSpokeChange', ...rule }])).toThrow(message);
  });

  it('any text gives a path or an Error', () => {
    const unit = fc.constantFrom('.', 'a', '[', ']', '*', '?', '(', '@', ')', '"', "'", '\\', '0', '-', '|', ' ', '/', '~', '$', '{', '}');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
        for (const parse of [parseJsonPath, parseJqPath, parsePointer]) {
          try {
            removeAt(pod, parse(text));
          } catch (error) {
            expect((error as Error).message).toMatch(/^(JSONPath|jq expression|JSON pointer)/);
          }
        }
      }),
    );
  });
});

describe('removing', () => {
  it('changes nothing it does not remove, and never its argument', () => {
    const before = object('a', { spec: pod.spec });
    const copy = structuredClone(before);
    removeAt(before, parseJsonPath('.spec.containers[*].image'));
    expect(before).toEqual(copy);
    expect(removeAt(before, parseJsonPath('.spec.nothing'))).toEqual(before);
    expect(removeAt(before, parseJsonPath('.constructor'))).toBe(before);
  });
});
