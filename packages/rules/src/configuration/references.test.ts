import { describe, expect, it } from 'vitest';
import { type ConfigRef, configSpecHash, layered, unusedRefs, usedRefs } from './references.js';

const ref = (text: string): ConfigRef => {
  const [resource = '', name = '', group = 'g'] = text.split('/');
  return { group, resource, namespace: '', name };
};
const names = (refs: readonly ConfigRef[]): string[] => refs.map(({ resource, name }) => `${resource}/${name}`);

describe('layers of configuration', () => {
  const cases: { name: string; layers: string[][]; want: string[] }[] = [
    {
      name: 'a stronger layer replaces a kind as a whole',
      layers: [['r1/n1', 'r2/n0'], ['r2/n1', 'r2/n2'], ['r2/n3']],
      want: ['r1/n1', 'r2/n3'],
    },
    { name: 'several of one kind keep their order', layers: [['r/b', 'r/a']], want: ['r/b', 'r/a'] },
    { name: 'exact duplicates are dropped', layers: [['r/a', 'r/a', 'r/b']], want: ['r/a', 'r/b'] },
    { name: 'kinds that the layer does not mention are inherited', layers: [['a/x'], [], ['b/y']], want: ['a/x', 'b/y'] },
    { name: 'the result is sorted by kind', layers: [['z/1', 'a/1']], want: ['a/1', 'z/1'] },
    { name: 'by group before resource', layers: [['a/1/apps.example', 'z/1/apps']], want: ['z/1', 'a/1'] },
  ];
  it.each(cases)('$name', ({ layers, want }) => expect(names(layered(layers.map((layer) => layer.map(ref))))).toEqual(want));
});

describe('several references of one kind', () => {
  const OWN = 'addon.open-cluster-management.io';
  it.each([
    {
      name: 'of our own kinds the first counts',
      refs: ['addondeploymentconfigs/b', 'addondeploymentconfigs/a'],
      unused: ['addondeploymentconfigs/a'],
    },
    { name: 'each kind for itself', refs: ['addondeploymentconfigs/b', 'addontemplates/a'], unused: [] },
    { name: 'all references of other kinds have an effect', refs: ['things/a/x.io', 'things/b/x.io'], unused: [] },
  ])('$name', ({ refs, unused }) => {
    const all = refs.map((text) => ref(text.split('/').length === 3 ? text : `${text}/${OWN}`));
    expect(names(unusedRefs(all))).toEqual(unused);
  });

  it('are a different list in another order, for our own kinds only', () => {
    const own = ['addondeploymentconfigs/a', 'addondeploymentconfigs/b'].map((text) => ref(`${text}/${OWN}`));
    const others = ['things/a', 'things/b'].map(ref);
    expect(usedRefs(own)).not.toBe(usedRefs([...own].reverse()));
    expect(usedRefs(others)).toBe(usedRefs([...others].reverse()));
  });
});

describe('the config-spec-hash annotation', () => {
  it('names group, namespace and name as upstream does, sorted', () => {
    const refs = [
      { group: 'addon.open-cluster-management.io', resource: 'addontemplates', namespace: '', name: 'hello-template', specHash: 'h1' },
      { group: '', resource: 'configmaps', namespace: 'default', name: 'c', specHash: 'h2' },
    ];
    expect(configSpecHash(refs)).toBe(
      '{"addontemplates.addon.open-cluster-management.io//hello-template":"h1","configmaps/default/c":"h2"}',
    );
  });
  it('is absent if there are no references', () => expect(configSpecHash([])).toBeUndefined());
});
