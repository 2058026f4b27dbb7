import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateKeys } from './duplicate-keys.js';
import { negotiate, negotiatePlain } from './negotiate.js';
import { parsePath } from './path.js';

describe('paths', () => {
  const cases = [
    ['/api/v1/pods', ' v1  pods  '],
    ['/api/v1/namespaces/a/pods/b', ' v1 a pods b '],
    ['/api/v1/namespaces/a/pods/b/status', ' v1 a pods b status'],
    ['/api/v1/namespaces', ' v1  namespaces  '],
    ['/api/v1/namespaces/a', ' v1  namespaces a '],
    ['/api/v1/namespaces/a/finalize', ' v1  namespaces a finalize'],
    ['/api/v1/watch/pods', ' v1  pods  '],
    ['/api/v1/watch/namespaces', ' v1  namespaces  '],
    ['/api/v1/watch/namespaces/a', ' v1  namespaces a '],
    ['/api/v1/watch/namespaces/a/pods', ' v1 a pods  '],
    ['/apis/apps/v1/watch/namespaces/a/deployments/b', 'apps v1 a deployments b '],
    ['/apis/apps/v1/namespaces/a/deployments/b/scale', 'apps v1 a deployments b scale'],
    ['/api/v1/namespaces/a/pods/', ' v1 a pods  '],
    ['/api/v1/namespaces//pods', ' v1  pods  '],
    ['/api/v1/namespaces//pods/b', ' v1  pods b '],
    ['/api/v1/namespaces/a/pods//status', ' v1 a pods  status'],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa', 'rbac.authorization.k8s.io v1  clusterroles system:a '],
  ];
  it.each(cases)('%s', (path, want) => {
    const parsed = parsePath(path);
    if (parsed.type === 'other') throw new Error('not a resource');
    expect([parsed.group, parsed.version, parsed.namespace, parsed.plural, parsed.name, parsed.subresource].join(' ')).toBe(want);
    expect(parsed.isWatch).toBe(path.includes('/watch/'));
  });

  it.each(['/', '/api', '/api/v1', '/apis/apps/v1', '/healthz', '/version', '/apisx/y', '//api/v1/pods', '/apis//v1/pods'])(
    '%s is not a resource',
    (path) => {
      expect(parsePath(path)).toEqual({ type: 'other', path });
    },
  );
});

describe('negotiation', () => {
  const cases = [
    [undefined, 'application/json object'],
    ['*/*', 'application/json object'],
    ['application/yaml', 'application/yaml object'],
    ['application/vnd.kubernetes.protobuf,application/json', 'application/vnd.kubernetes.protobuf object'],
    ['application/json,application/vnd.kubernetes.protobuf', 'application/json object'],
    ['application/vnd.kubernetes.protobuf;stream=watch', 'application/vnd.kubernetes.protobuf object'],
    ['application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json', 'application/json object'],
    ['application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'application/vnd.kubernetes.protobuf metadata'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'application/json table'],
    ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', 'application/json object'],
    ['application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'application/json metadata'],
    ['application/json;q=0.1,application/yaml;q=0.9', 'application/yaml object'],
  ] as const;
  it.each(cases)('%s → %s', (accept, want) => {
    const { contentType, as } = negotiate(accept);
    expect(`${contentType} ${as}`).toBe(want);
  });

  it('falls back to JSON for custom kinds, which have no binary form', () => {
    const accept = 'application/vnd.kubernetes.protobuf,application/json';
    expect(negotiate(accept, true).contentType).toBe('application/json');
    expect(negotiate('application/vnd.kubernetes.protobuf;as=PartialObjectMetadata', true).as).toBe('metadata');
  });

  it.each([
    ['text/html', false, '406: Not Acceptable\n\nAvailable representations: application/json, '],
    ['text/html', true, 'only the following media types are accepted'],
    ['application/vnd.kubernetes.protobuf', true, 'only the following media types are accepted'],
    ['application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io', false, 'only the following media types are accepted'],
    ['application/json;as=Song;v=v1;g=meta.k8s.io', false, 'only the following media types are accepted'],
  ] as const)('%s cannot be given (custom: %s)', (accept, isCustom, why) => {
    expect(() => negotiate(accept, isCustom)).toThrow(why);
  });

  it.each([
    [undefined, 'application/json'],
    ['text/html', 'application/json'],
    ['application/yaml', 'application/yaml'],
    ['application/vnd.kubernetes.protobuf,application/json', 'application/vnd.kubernetes.protobuf'],
    ['application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io', 'application/json'],
  ])('a client that accepts %s gets failures as %s', (accept, want) => {
    expect(negotiatePlain(accept)).toBe(want);
  });
});

describe('duplicate keys', () => {
  const cases = [
    ['{"a":1,"b":2}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"a":{"b":1,"b":2},"c":[{"d":1},{"d":1,"d":2}]}', ['a.b', 'c[1].d']],
    ['{"a":"{\\"b\\":1,\\"b\\":2}"}', []],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"a\\\\":1,"a\\\\":2}', ['a\\']],
    ['[{"a":1},{"a":1}]', []],
  ] as const;
  it.each(cases)('in %s are %j', (text, want) => expect(duplicateKeys(text)).toEqual(want));

  it('are never found in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(duplicateKeys(text)).toEqual([]);
      }),
    );
  });

  it('are found at any position', () => {
    const keys = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(keys, fc.jsonValue(), fc.nat(), (names, value, at) => {
        const twice = names[at % names.length] as string;
        const members = [...names, twice].map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
        expect(duplicateKeys(`{${members.join(',')}}`)).toEqual([twice]);
      }),
    );
  });
});
