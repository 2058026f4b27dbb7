import {
  ADDON_VERSION_LABEL,
  INSTALLED_SPEC_ANNOTATION,
  type AddOnDeploymentConfig,
  type AddOnTemplate,
  type ClusterManagementAddOnSpec,
  type InstallStrategy,
  type ManagedClusterAddOn,
} from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { addOn, cluster, decision } from '../why/fixtures.js';
import { EMPTY, snapshotLookups } from '../why/snapshot.js';
import { previewEntry } from './entry.js';
import { type Preview, preview } from './preview.js';

const GROUP = 'addon.open-cluster-management.io';
const API = `${GROUP}/v1alpha1`;

function template(version: string): AddOnTemplate {
  const data = { who: '{{WHO}}', where: '{{CLUSTER_NAME}}' };
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'n' }, data };
  return {
    apiVersion: API,
    kind: 'AddOnTemplate',
    metadata: { name: `hello-${version}`, labels: { [ADDON_VERSION_LABEL]: version } },
    spec: { addonName: 'hello', agentSpec: { workload: { manifests: [manifest] } } },
  };
}

function config(name: string, value: string): AddOnDeploymentConfig {
  const spec = { customizedVariables: [{ name: 'WHO', value }] };
  return { apiVersion: API, kind: 'AddOnDeploymentConfig', metadata: { name, namespace: 'default' }, spec };
}

const ref = (name: string) => ({ group: GROUP, resource: 'addondeploymentconfigs', namespace: 'default', name });
const entry = (name: string, configName: string, installVersion = '') => ({
  namespace: 'default',
  name,
  configs: [ref(configName)],
  ...(installVersion === '' ? {} : { addonTemplate: { installVersion } }),
});

interface Given {
  readonly strategy?: InstallStrategy;
  readonly spec?: Partial<ClusterManagementAddOnSpec>;
  readonly templates?: readonly AddOnTemplate[];
  readonly own?: ManagedClusterAddOn['spec'];
  readonly mark?: string;
  readonly placement?: string;
}

/** The preview for cluster c1, which the Placement `one` selects. */
function previewOf({ strategy, spec = {}, templates = [template('v1'), template('v2')], own, mark, placement }: Given): Preview {
  const declared = addOn('hello', strategy);
  const managementAddOn = { ...declared, spec: { ...declared.spec, supportedConfigs: [], ...spec } };
  const annotations = mark === undefined ? {} : { [INSTALLED_SPEC_ANNOTATION]: mark };
  const lookups = snapshotLookups({ ...EMPTY, clusters: [cluster('c1')], decisions: [decision('default', 'one', ['c1'])] });
  return preview({
    managementAddOn,
    templates,
    configs: [config('one', 'first'), config('two', 'second')],
    cluster: cluster('c1'),
    clusterAddOn: own && {
      apiVersion: API,
      kind: 'ManagedClusterAddOn',
      metadata: { name: 'hello', namespace: 'c1', annotations },
      spec: own,
    },
    entry: previewEntry(managementAddOn.spec, 'c1', lookups, placement),
  });
}

function dataOf(found: Preview): unknown {
  if (found.type !== 'rendered') return found;
  const [manifest] = found.works.flatMap(({ spec }) => spec.workload?.manifests ?? []) as unknown as readonly { data: { who: string } }[];
  return [found.version, manifest?.data.who];
}

const placements: InstallStrategy = { type: 'Placements', placements: [entry('one', 'one', 'v1'), entry('two', 'two')] };

describe('the preview of one cluster', () => {
  const cases: readonly { readonly name: string; readonly given: Given; readonly want: unknown }[] = [
    { name: 'the entry whose decisions contain the cluster', given: { strategy: placements }, want: ['v1', 'first'] },
    { name: 'an entry by its name', given: { strategy: placements, placement: 'default/two' }, want: ['v2', 'second'] },
    {
      name: 'the only entry, although it does not select the cluster',
      given: { strategy: { type: 'Placements', placements: [entry('two', 'two')] } },
      want: ['v2', 'second'],
    },
    {
      name: 'a person’s version in an add-on of the installer: the configs still follow the entry',
      given: { strategy: placements, own: { installVersion: 'v2' }, mark: 'x' },
      want: ['v2', 'first'],
    },
    {
      name: 'a person’s config in an add-on of the installer: the version still follows the entry',
      given: { strategy: placements, own: { configs: [ref('two')] }, mark: 'x' },
      want: ['v1', 'second'],
    },
    {
      name: 'an add-on that a person created: it does not follow the addonTemplate',
      given: { strategy: placements, own: { configs: [ref('two')] } },
      want: ['v2', 'second'],
    },
    {
      name: 'a version that no template offers',
      given: { strategy: { type: 'Placements', placements: [entry('one', 'one', 'v7')] } },
      want: { type: 'problem', message: expect.stringContaining('v7') as string },
    },
    {
      name: 'a config that does not exist',
      given: { strategy: { type: 'Placements', placements: [entry('one', 'three')] } },
      want: { type: 'problem', message: expect.stringMatching(/^ConfigurationNotFound: .*three/) as string },
    },
    {
      name: 'a variable that no config defines',
      given: { strategy: { type: 'Manual' } },
      want: { type: 'problem', message: expect.stringContaining('WHO') as string },
    },
    { name: 'no template at all', given: { strategy: { type: 'Manual' }, templates: [] }, want: { type: 'another manager' } },
  ];
  it.each(cases)('$name', ({ given, want }) => expect(dataOf(previewOf(given))).toEqual(want));
});
