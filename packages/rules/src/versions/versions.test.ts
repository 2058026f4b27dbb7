import type { RolloutTarget } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { type TemplateProjection, projectTemplate } from '../observed/templates.js';
import { advanceVersions, directionOf } from './bookkeeping.js';
import { type VersionCatalog, versionCatalog, versionsOf } from './catalog.js';
import { type TemplateChoice, type TemplateClaims, chooseTemplate } from './choose.js';
import { keptTemplate } from './kept-template.js';

const template = (version: string, createdAt = 0, name = `t-${version}`): TemplateProjection => ({
  key: { name },
  uid: name,
  resourceVersion: '1',
  addOnName: 'hello',
  version,
  createdAt,
  generation: 1,
  specHash: name,
  spec: { addonName: 'hello', agentSpec: { workload: { manifests: [] } } },
});

describe('the versions of an add-on', () => {
  const cases: { name: string; templates: TemplateProjection[]; named?: string; supported: string[]; byDefault: string }[] = [
    { name: 'are the labels of its templates', templates: [template('v1'), template('v2')], supported: ['v1', 'v2'], byDefault: 'v2' },
    {
      name: 'are listed by creation, then name',
      templates: [template('v1', 9), template('v3', 2, 'b'), template('v2', 2, 'a')],
      supported: ['v2', 'v3', 'v1'],
      byDefault: 'v3',
    },
    {
      name: 'default to the highest that is no pre-release',
      templates: [template('v1'), template('v2-rc.1')],
      supported: ['v1', 'v2-rc.1'],
      byDefault: 'v1',
    },
    {
      name: 'default to the last by creation, then name, if one is not semantic, in whatever order the index returns the templates',
      templates: [template('spring', 2, 'b'), template('v9', 2, 'a'), template('winter', 1)],
      supported: ['winter', 'v9', 'spring'],
      byDefault: 'spring',
    },
    {
      name: 'default to the named template',
      templates: [template('v1'), template('v2')],
      named: 't-v1',
      supported: ['v1', 'v2'],
      byDefault: 'v1',
    },
    {
      name: 'have no default if the named template has no version',
      templates: [template('v1'), template('')],
      named: 't-',
      supported: ['v1'],
      byDefault: '',
    },
    {
      name: 'count once, for the older template',
      templates: [template('v1', 2, 'new'), template('v1', 1, 'old')],
      supported: ['v1'],
      byDefault: 'v1',
    },
    {
      name: 'never include the versions in the status while there are no templates',
      templates: [template('unknown'), template('v1')],
      supported: ['v1'],
      byDefault: 'v1',
    },
    { name: 'are empty without templates', templates: [], supported: [], byDefault: '' },
  ];
  it.each(cases)('$name', ({ templates, named, supported, byDefault }) => {
    const catalog = versionCatalog(templates, named);
    expect([catalog.supported, catalog.defaultVersion]).toEqual([supported, byDefault]);
  });

  it('never include `unknown`, even if the template with this label is named, as one that was stored without admission', () => {
    const { spec } = template('unknown');
    const metadata = { name: 'odd', labels: { 'open-cluster-management.io/addon-version': 'unknown' } };
    const stored = { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'AddOnTemplate', metadata, spec };
    const catalog = versionCatalog([projectTemplate(stored, (value) => value)], 'odd');
    const claims = {
      userTemplate: 'odd',
      installVersion: undefined,
      isVersionUserOwned: false,
      entryTemplate: undefined,
      defaultTemplate: undefined,
    };
    expect([catalog.defaultVersion, catalog.supported]).toEqual(['', []]);
    expect(chooseTemplate(claims, catalog)).toMatchObject({ type: 'template', template: { version: '' } });
  });

  it('include templates of other add-ons that are referenced, which make no default and yield to its own of the same version', () => {
    const own = [template('v1', 5), template('v2', 9, 'own-v2')];
    const referenced = [template('v2', 0, 'other-v2'), template('v9', 7, 'other-v9')];
    const catalog = versionCatalog(own, undefined, referenced);
    expect([catalog.supported, catalog.defaultVersion]).toEqual([['v2', 'v1', 'v9'], 'v2']);
    expect(catalog.templateOf('v2')?.key.name).toBe('own-v2');
    expect(catalog.templateOf('v9')?.key.name).toBe('other-v9');
    expect(catalog.templateNamed('other-v2')).toBeDefined();
    expect(versionCatalog(own, 'other-v9', referenced).defaultVersion).toBe('v9');
    expect(versionsOf({ spec: {}, status: {} }, { own: [], referenced }, false).isFromTemplates).toBe(true);
  });

  it('come from its own status if it has no template and names none', () => {
    const status = { supportedVersions: ['5', '6'], defaultVersion: '6' };
    expect(versionsOf({ spec: {}, status }, { own: [], referenced: [] }, false)).toMatchObject({
      supported: ['5', '6'],
      defaultVersion: '6',
      isFromTemplates: false,
    });
    expect(versionsOf({ spec: {}, status }, { own: [template('v1')], referenced: [] }, false)).toMatchObject({
      supported: ['v1'],
      isFromTemplates: true,
    });
    const supportedConfigs = [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates' }];
    expect(versionsOf({ spec: { supportedConfigs }, status }, { own: [], referenced: [] }, false)).toMatchObject({
      supported: [],
      isFromTemplates: true,
    });
    const entry = { namespace: 'default', name: 'all', configs: [{ ...supportedConfigs[0], resource: 'addontemplates', name: 't' }] };
    const installStrategy = { type: 'Placements', placements: [entry] } as const;
    expect(versionsOf({ spec: { installStrategy }, status }, { own: [], referenced: [] }, false)).toMatchObject({
      supported: [],
      isFromTemplates: true,
    });
  });

  it('are not read back from the status after the last template was deleted while its content still runs', () => {
    const status = { supportedVersions: ['v1'], defaultVersion: 'v1' };
    expect(versionsOf({ spec: {}, status }, { own: [], referenced: [] }, true)).toMatchObject({
      supported: [],
      defaultVersion: '',
      isFromTemplates: true,
    });
  });
});

describe('which template', () => {
  const catalog = versionCatalog([template('v1'), template('v2'), template('', 0, 'bare')], undefined);
  const none: TemplateClaims = {
    userTemplate: undefined,
    installVersion: undefined,
    isVersionUserOwned: false,
    entryTemplate: undefined,
    defaultTemplate: undefined,
  };
  const cases: { name: string; claims: Partial<TemplateClaims>; want: object }[] = [
    { name: 'the default version if no field sets one', claims: {}, want: { type: 'template', template: { version: 'v2' } } },
    { name: 'the default template before it', claims: { defaultTemplate: 't-v1' }, want: { template: { version: 'v1' } } },
    { name: "the entry's before that", claims: { defaultTemplate: 't-v2', entryTemplate: 't-v1' }, want: { template: { version: 'v1' } } },
    { name: 'the version before that', claims: { defaultTemplate: 't-v2', installVersion: 'v1' }, want: { template: { version: 'v1' } } },
    {
      name: "a person's reference before everything",
      claims: { userTemplate: 'bare', installVersion: 'v1', entryTemplate: 't-v1' },
      want: { template: { key: { name: 'bare' } } },
    },
    { name: 'a version that no template provides', claims: { installVersion: 'v9' }, want: { type: 'unsupported-version', version: 'v9' } },
    { name: 'a template that does not exist', claims: { entryTemplate: 'gone' }, want: { type: 'missing-template', name: 'gone' } },
    {
      name: "a person's template that does not exist, whatever the version beside it",
      claims: { userTemplate: 'gone', installVersion: 'v1', isVersionUserOwned: true },
      want: { type: 'missing-template', name: 'gone' },
    },
    {
      name: 'two of one layer that disagree',
      claims: { installVersion: 'v1', entryTemplate: 't-v2' },
      want: { type: 'conflict', message: 'installVersion v1 and template t-v2 (version v2) disagree' },
    },
    { name: 'two of one layer that agree', claims: { installVersion: 'v2', entryTemplate: 't-v2' }, want: { template: { version: 'v2' } } },
    {
      name: "a person's version and the entry's template are of different layers",
      claims: { installVersion: 'v1', isVersionUserOwned: true, entryTemplate: 't-v2' },
      want: { template: { version: 'v1' } },
    },
  ];
  it.each(cases)('$name', ({ claims, want }) => expect(chooseTemplate({ ...none, ...claims }, catalog)).toMatchObject(want));
});

describe('the version fields', () => {
  it('follow the example of the document: new, invalid, valid, rolled back', () => {
    const supported = ['v1', 'v2'];
    const story = (['v1 done', 'v3', 'v2', 'v2 done', 'v1', 'v1 done'] as const).reduce<string[][]>(
      (told, step) => {
        const [version = '', done] = step.split(' ');
        const [lastVersion = '', installVersion = '', currentVersion = ''] = told.at(-1) ?? [];
        const next = advanceVersions({ lastVersion, installVersion, currentVersion }, version, supported, done !== undefined);
        return [...told, [next.lastVersion, next.installVersion, next.currentVersion]];
      },
      [['', '', '']],
    );
    expect(story.slice(1)).toEqual([
      ['', 'v1', 'v1'],
      ['v1', 'v3', 'unknown'],
      ['unknown', 'v2', 'unknown'],
      ['unknown', 'v2', 'v2'],
      ['v2', 'v1', 'unknown'],
      ['v2', 'v1', 'v1'],
    ]);
  });

  it.each([
    ['', 'v1', 'Installing'],
    ['unknown', 'v1', 'Installing'],
    ['v1', 'v2', 'Upgrading'],
    ['v2', 'v1', 'Rollingback'],
    ['v10', 'v9', 'Rollingback'],
    ['v2', 'v2', 'Upgrading'],
    ['v1', 'v3', 'Upgrading'],
  ])('from %j to %s is %s', (last, desired, want) => expect(directionOf(last, desired, ['v1', 'v2'])).toBe(want));

  it('go by position if the versions are not semantic', () => {
    const supported = ['oak', 'ash', 'elm'];
    expect([directionOf('oak', 'elm', supported), directionOf('elm', 'ash', supported), directionOf('elm', 'fir', supported)]).toEqual([
      'Upgrading',
      'Rollingback',
      'Upgrading',
    ]);
  });
});

describe('a version that was removed', () => {
  const GROUP = 'addon.open-cluster-management.io';
  const had = (version: string): RolloutTarget => ({
    revision: 1,
    version,
    digest: 'd',
    renderer: 1,
    targetedAt: '2026-01-01T00:00:00Z',
    configs: [{ group: GROUP, resource: 'addontemplates', name: `t-${version}`, specHash: 'h' }],
  });
  const left = (...versions: string[]): VersionCatalog =>
    versionCatalog(
      versions.map((version) => template(version)),
      undefined,
    );
  /** A catalog whose only template was created this long after the recorded target was set. */
  const created = (version: string, laterMs: number): VersionCatalog =>
    versionCatalog([template(version, Date.parse('2026-01-01T00:00:00Z') + laterMs)], undefined);
  const byDefault = (catalog: VersionCatalog): TemplateChoice => {
    const found = catalog.templateOf(catalog.defaultVersion);
    return found ? { type: 'template', template: found } : { type: 'none', version: '' };
  };

  it.each<{ name: string; catalog: VersionCatalog; had: RolloutTarget | undefined; want: string | undefined }>([
    { name: 'the default, lower ones are left', catalog: left('v1'), had: had('v2'), want: 'v2' },
    { name: 'the default, nothing is left', catalog: left(), had: had('v2'), want: 'v2' },
    { name: 'the default, only a pre-release of the next is left', catalog: left('v3-rc.1'), had: had('v2'), want: 'v2' },
    { name: 'the default, a higher one is left', catalog: left('v1', 'v3'), had: had('v2'), want: undefined },
    { name: 'the default, if the remaining versions cannot be compared', catalog: left('blue'), had: had('green'), want: 'green' },
    {
      name: 'the default, if the remaining one is older and cannot be compared',
      catalog: created('blue', 0),
      had: had('green'),
      want: 'green',
    },
    { name: 'the default, if a lower one was created later', catalog: created('v1', 1000), had: had('v2'), want: 'v2' },
    { name: 'none: a later one that cannot be compared', catalog: created('blue', 1000), had: had('green'), want: undefined },
    { name: 'none: the default still exists', catalog: left('v1', 'v2'), had: had('v2'), want: undefined },
    { name: 'none: a higher one appeared', catalog: left('v2', 'v3'), had: had('v2'), want: undefined },
    { name: 'before the entry had anything', catalog: left('v1'), had: undefined, want: undefined },
    { name: 'without a version', catalog: left('v1'), had: had(''), want: undefined },
  ])('$name', ({ catalog, had: target, want }) => {
    const kept = keptTemplate(byDefault(catalog), true, catalog, target);
    expect(kept?.version).toBe(want);
    expect(kept?.isDefaultGone ?? true).toBe(true);
    // If the declaration names a template, the entry uses that template, even if its version is lower than that of the deleted template.
    expect(keptTemplate(byDefault(catalog), false, catalog, target)).toBeUndefined();
  });

  it('and is still requested is kept, and the default is not reported as gone', () => {
    const asked: TemplateChoice = { type: 'unsupported-version', version: 'v2' };
    expect(keptTemplate(asked, false, left('v1', 'v3'), had('v2'))).toMatchObject({ version: 'v2', isDefaultGone: false });
    expect(keptTemplate(asked, false, left('v1'), had('v1'))).toBeUndefined();
  });
});

describe('version fields without a version to act on', () => {
  it.each([
    { name: 'an invalid one leaves nothing behind', status: ['', 'v9', 'unknown'], supported: ['v1'], want: ['', '', ''] },
    { name: 'one that is installed stays', status: ['', 'v1', 'v1'], supported: [], want: ['', 'v1', 'v1'] },
    { name: 'one that is on its way stays', status: ['', 'v1', 'unknown'], supported: ['v1'], want: ['', 'v1', 'unknown'] },
    { name: 'no version stays no version', status: ['', '', ''], supported: [], want: ['', '', ''] },
  ])('$name', ({ status: [lastVersion = '', installVersion = '', currentVersion = ''], supported, want }) => {
    const next = advanceVersions({ lastVersion, installVersion, currentVersion }, '', supported, true);
    expect([next.lastVersion, next.installVersion, next.currentVersion]).toEqual(want);
  });
});
