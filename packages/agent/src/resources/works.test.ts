import { type ManifestWork, manifestWorks } from '@outrigger/api';
import type { Intern, KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { prepare } from '../work/manifest/normalize.js';
import { works } from './works.js';

function work(resourceVersion: string, text: string): ManifestWork {
  const manifest: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations: { text } } };
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: manifestWorks.kind,
    metadata: { name: 'w', namespace: 'c1', uid: 'u', resourceVersion },
    spec: { workload: { manifests: [manifest] } },
  };
}

describe('the works of an agent', () => {
  const known = new Map<string, unknown>();
  const intern: Intern = <T>(value: T): T => {
    const text = JSON.stringify(value);
    if (!known.has(text)) known.set(text, value);
    return known.get(text) as T;
  };
  const { project } = works('c1');
  const manifestOf = (object: ManifestWork) => {
    const [manifest] = project(object, intern).spec.workload?.manifests ?? [];
    if (!manifest) throw new Error('the projection has no manifest');
    return manifest;
  };

  it('prepares the manifests once for all changes of the status', () => {
    expect(prepare(manifestOf(work('2', 'x')))).toBe(prepare(manifestOf(work('1', 'x'))));
  });

  it('prepares the manifests again when they change', () => {
    const first = prepare(manifestOf(work('3', 'x')));
    expect(prepare(manifestOf(work('4', 'y'))).digest).not.toBe(first.digest);
  });
});
