import type { AddOnDeploymentConfigSpec } from '@outrigger/api';
import type { Json, JsonObject } from '@outrigger/core';
import { YamlError, parseYamlDocument } from '@outrigger/core/yaml';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Rendered, render } from './render.js';
import { NEWEST_RENDERER, rendererOf } from './renderers.js';
import { compileTemplate } from './template.js';

function rendered(manifests: readonly Json[], settings: AddOnDeploymentConfigSpec = {}): Rendered {
  const template = compileTemplate(manifests);
  if ('problems' in template) return template;
  return render({
    renderer: rendererOf(NEWEST_RENDERER),
    addOnName: 'hello',
    clusterName: 'c1',
    template,
    credentials: [],
    installNamespace: undefined,
    settings,
    clusterRegistries: [],
  });
}

const configMap = (data: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm', namespace: 'n' },
  data,
});
const dataOf = (result: Rendered): Json | undefined => ('manifests' in result ? result.manifests[0]?.['data'] : undefined);
const withValue = (value: string): AddOnDeploymentConfigSpec => ({ customizedVariables: [{ name: 'VALUE', value }] });

describe('templates that are written, or filled in, to do harm', () => {
  it.each([
    ['quotes', '"}, "evil": {"a": "b'],
    ['newlines', 'a\nevil: true\n'],
    ['braces', '}}{{'],
    ['a variable', '{{CLUSTER_NAME}}'],
    ['an anchor', '&a [*a, *a]'],
    ['NUL', 'a\u0000b'],
    ['a megabyte', 'x'.repeat(1024 * 1024)],
    ['a replacement pattern', '$& $1 $$'],
  ])('AT-20 a value with %s stays one string', (_, value) => {
    expect(dataOf(rendered([configMap({ a: 'x{{VALUE}}y' })], withValue(value)))).toEqual({ a: `x${value}y` });
  });

  it('AT-20 any value stays part of one string, as a value or as a key, and changes nothing else', () => {
    const manifest = configMap({ fixed: 'as it is', a: 'x{{VALUE}}y', '{{VALUE}}': 'z' });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1024 }), (value) => {
        const result = rendered([manifest], withValue(value));
        if (!('manifests' in result)) throw new Error(JSON.stringify(result));
        const data = Object.fromEntries([
          ['fixed', 'as it is'],
          ['a', `x${value}y`],
        ]) as Record<string, string>;
        Object.defineProperty(data, value, { value: 'z', enumerable: true, configurable: true, writable: true });
        expect(result.manifests).toHaveLength(1);
        expect(new Map(Object.entries(result.manifests[0]?.['data'] ?? {}))).toEqual(new Map(Object.entries(data)));
        expect({ ...result.manifests[0], data: {} }).toEqual({ ...manifest, data: {} });
      }),
    );
  });

  it('AT-21 an undefined variable is reported with its place, and no value replaces the cluster’s own name', () => {
    const result = rendered([configMap({ a: { b: ['{{NOBODY}}'] } })]);
    expect(result).toMatchObject({ problems: [{ manifest: 'ConfigMap n/m', path: 'data.a.b[0]', variable: 'NOBODY' }] });
    const settings = { customizedVariables: [{ name: 'CLUSTER_NAME', value: 'c2' }] };
    expect(dataOf(rendered([configMap({ a: '{{CLUSTER_NAME}}' })], settings))).toEqual({ a: 'c1' });
  });

  it('AT-23 bombs are refused with a reason, or cost no more than their size', () => {
    let deep: Json = 'bottom';
    for (let i = 0; i < 5000; i++) deep = { a: deep };
    expect(rendered([configMap({ deep })])).toMatchObject({ problems: [{ message: 'nested more than 100 levels deep' }] });
    const many = Array.from({ length: 10_000 }, () => configMap({}));
    expect(rendered(many)).toMatchObject({ problems: [{ message: expect.stringContaining('10000 manifests, at most 2000') }] });
    // A config of ten megabytes, which only a store without size limits could return.
    const large = configMap({ a: 'x'.repeat(10 * 1024 * 1024) });
    expect(rendered([large])).toMatchObject({ manifests: [{ data: large['data'] }] });
    // A template of one megabyte that uses a value of one kilobyte at every fourth character would render to a gigabyte.
    const amplified = rendered([configMap({ a: '{{VALUE}}'.repeat(100_000), b: '{{VALUE}}' })], withValue('x'.repeat(1024)));
    expect(amplified).toMatchObject({
      problems: [{ manifest: 'ConfigMap n/m', path: 'data.a', message: expect.stringContaining('more than 8388608 characters') }],
    });
    const laughs = [
      'a: &a [lol,lol,lol,lol,lol,lol,lol,lol,lol,lol]',
      ...'bcdefghij'.split('').map((name, i) => `${name}: &${name} [${`*${'abcdefghij'[i] ?? 'a'},`.repeat(10).slice(0, -1)}]`),
    ];
    expect(() => parseYamlDocument(laughs.join('\n'))).toThrow(YamlError);
  });

  it('AT-23 AT-54 settings that every container repeats are bounded before they are written out', () => {
    const containers = Array.from({ length: 5_000 }, (_, i) => ({ name: `c${i}`, image: 'x' }));
    const metadata = { name: 'd', namespace: 'n' };
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { template: { spec: { containers } } } };
    const result = rendered([workload], { proxyConfig: { httpsProxy: `http://${'p'.repeat(100_000)}` } });
    expect(result).toMatchObject({ problems: [{ path: 'spec', message: expect.stringContaining('more than 16777216 characters') }] });
    expect(rendered([workload], { proxyConfig: { httpsProxy: 'http://p' } })).toHaveProperty('manifests');
  });

  it.each(['__proto__', 'constructor', 'prototype'])('AT-24 the key %s is an ordinary key', (key) => {
    const data = JSON.parse(`{"${key}": {"polluted": "{{VALUE}}"}}`) as JsonObject;
    const result = dataOf(rendered([configMap(data)], withValue('yes'))) as Record<string, unknown>;
    expect(JSON.stringify(result)).toBe(`{"${key}":{"polluted":"yes"}}`);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const renamed = dataOf(rendered([configMap({ '{{VALUE}}': { polluted: 'yes' } })], withValue(key))) as Record<string, unknown>;
    expect(Object.getPrototypeOf(renamed)).toBe(Object.prototype);
    expect(Object.hasOwn(renamed, key)).toBe(true);
  });

  it('an integer that would be changed on its way is a problem with a place', () => {
    expect(rendered([configMap({ quota: [1, 2 ** 53 + 2], most: 2 ** 53 - 1 })], {})).toMatchObject({
      problems: [{ path: 'data.quota[1]', message: expect.stringMatching(/^is an integer beyond/) as string }],
    });
  });

  it('a certificate bundle that is no base64 is a problem with a place, not the end of the pass', () => {
    expect(rendered([configMap({})], { proxyConfig: { httpsProxy: 'http://p', caBundle: '%%%' } })).toEqual({
      problems: [{ manifest: 'AddOnDeploymentConfig', path: 'spec.proxyConfig.caBundle', message: 'is not base64' }],
    });
  });

  it('AT-24 a variable named like a part of every object is an ordinary variable', () => {
    const settings = {
      customizedVariables: [{ name: '__proto__', value: 'x' }],
      nodePlacement: { nodeSelector: JSON.parse('{"__proto__":"y"}') as never },
    };
    expect(dataOf(rendered([configMap({ a: '{{__proto__}}' })], settings))).toEqual({ a: 'x' });
    expect(rendered([configMap({ a: '{{constructor}}' })])).toMatchObject({ problems: [{ variable: 'constructor' }] });
  });

  it('AT-25 a containerID is never a pattern, however it is spelled', () => {
    const containers = [{ name: `${'a'.repeat(40)}!`, image: 'x' }];
    const workload = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', namespace: 'n' },
      spec: { template: { spec: { containers } } },
    };
    const settings = { resourceRequirements: [{ containerID: 'deployments:d:(a+)+$', resources: { limits: { cpu: '1' } } }] };
    const result = rendered([workload], settings);
    expect(JSON.stringify(result)).not.toContain('limits');
  });
});
