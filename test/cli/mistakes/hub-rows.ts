import { CONFIG_MAP, config, declaration, template, workload } from './lint-rows.js';

/** One mistake on a hub with one cluster, and the expected messages. */
export interface HubRow {
  /**
   * The number of the mistake, 1 to 32, by which the test titles name it. Rows with the same number are further cases of the same mistake.
   */
  readonly mistake: number;
  readonly title: string;
  /** The objects that are applied first and accepted. `NAME` is replaced with a name that is unique to the row. */
  readonly given?: string;
  /** The API server's error message for `text`. */
  readonly refused?: string;
  /** The object that the API server must reject; undefined if it accepts all objects of the row. */
  readonly text?: string;
  /** The texts that `outrigger why NAME --cluster cluster1` must eventually print together. */
  readonly why?: readonly string[];
  /** The texts that `why` must not print. */
  readonly never?: readonly string[];
  /** The row of the add-on in `outrigger get addons`, after `why` has printed its texts. */
  readonly row?: RegExp;
}

const GROUP = 'addon.open-cluster-management.io';
const TEMPLATES = `{group: ${GROUP}, resource: addontemplates, defaultConfig: {name: NAME-v1}}`;
const EVERYWHERE = 'installStrategy: {type: ClusterLabelSelector, labelSelector: {}}';

/** Returns a template with the given manifests, and a declaration that installs it on every cluster. */
function installed(manifests: string, rest = ''): string {
  return `${template('NAME-v1', manifests, { addOn: 'NAME', rest })}---\n${declaration('NAME', `{supportedConfigs: [${TEMPLATES}], ${EVERYWHERE}}`)}`;
}

const installation = (namespace: string, spec: string): string =>
  `apiVersion: ${GROUP}/v1alpha1\nkind: ManagedClusterAddOn\nmetadata: {name: NAME, namespace: ${namespace}}\nspec: ${spec}\n`;

const MANIFEST_OF_PLACEMENT =
  'apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: NAME, namespace: default}\nspec: {}\n';

export const HUB_ROWS: readonly HubRow[] = [
  {
    mistake: 1,
    title: 'an unknown field is refused',
    text: declaration('NAME', '{installStrategie: {}}'),
    refused: '.spec.installStrategie: field not declared in schema',
  },
  {
    mistake: 3,
    title: 'an unknown type is refused',
    text: declaration('NAME', '{installStrategy: {type: Everywhere}}'),
    refused: 'supported values: "Manual", "Placements", "ClusterLabelSelector"',
  },
  {
    mistake: 5,
    title: 'a default template that does not exist',
    given: declaration('NAME', `{supportedConfigs: [${TEMPLATES}], ${EVERYWHERE}}`),
    why: ['NAME-v1'],
  },
  {
    mistake: 11,
    title: 'a Placement that does not exist',
    given: `${template('NAME-v1', CONFIG_MAP, { addOn: 'NAME' })}---\n${declaration('NAME', `{supportedConfigs: [${TEMPLATES}], installStrategy: {type: Placements, placements: [{namespace: default, name: nowhere}]}}`)}`,
    why: ['Placement default/nowhere', 'create it, or correct spec.installStrategy.placements'],
  },
  {
    mistake: 12,
    title: 'type Placements without a Placement',
    given: `${template('NAME-v1', CONFIG_MAP, { addOn: 'NAME' })}---\n${declaration('NAME', `{supportedConfigs: [${TEMPLATES}], installStrategy: {type: Placements}}`)}`,
    why: ['strategy Placements names no Placement'],
  },
  {
    mistake: 13,
    title: 'a dependency on itself is refused',
    text: declaration('NAME', '{dependencies: [{name: NAME}]}'),
    refused: 'itself',
  },
  {
    mistake: 15,
    title: 'a dependency that does not exist',
    given: `${template('NAME-v1', CONFIG_MAP, { addOn: 'NAME' })}---\n${declaration('NAME', `{dependencies: [{name: ghost-of-NAME}], supportedConfigs: [${TEMPLATES}], ${EVERYWHERE}}`)}`,
    why: ['ghost-of-NAME'],
  },
  {
    mistake: 23,
    title: 'a config that does not exist',
    given: `${template('NAME-v1', CONFIG_MAP, { addOn: 'NAME' })}---\n${declaration('NAME', `{supportedConfigs: [${TEMPLATES}, {group: ${GROUP}, resource: addondeploymentconfigs, defaultConfig: {namespace: default, name: missing}}], ${EVERYWHERE}}`)}`,
    why: ['addondeploymentconfigs/default/missing'],
    row: /^NAME .* 0\/1 +\d +1 +0 /m,
  },
  {
    mistake: 18,
    title: 'a role on the hub that does not exist',
    given: installed(
      CONFIG_MAP,
      'registration: [{type: KubeClient, kubeClient: {hubPermissions: [{type: CurrentCluster, currentCluster: {clusterRoleName: NAME-hub}}]}}], ',
    ),
    why: ['Failed to set permission for hub agent: ClusterRole NAME-hub in cluster1', 'not found'],
  },
  {
    mistake: 24,
    title: 'a namespace that is no cluster',
    text: installation('cluster99', '{}'),
    refused: 'namespaces "cluster99" not found',
  },
  {
    mistake: 25,
    title: 'a version that does not exist, on one cluster',
    given: `${installed(CONFIG_MAP)}---\n${installation('cluster1', '{installVersion: v9}')}`,
    why: ['could not install invalid version v9', 'outrigger upgrade NAME --cluster cluster1 --to v1 (versions: v1)'],
    never: ['<version>', '<cluster>'],
  },
  {
    mistake: 27,
    title: 'a Placement without the set of the clusters',
    given: `apiVersion: v1\nkind: Namespace\nmetadata: {name: NAME}\n---\n${MANIFEST_OF_PLACEMENT.replace('namespace: default', 'namespace: NAME')}---\n${template('NAME-v1', CONFIG_MAP, { addOn: 'NAME' })}---\n${declaration('NAME', `{supportedConfigs: [${TEMPLATES}], installStrategy: {type: Placements, placements: [{namespace: NAME, name: NAME}]}}`)}`,
    why: ['Placement NAME/NAME does not select cluster cluster1', 'No valid ManagedClusterSetBindings found in placement namespace'],
  },
  {
    mistake: 29,
    title: 'a selector that does not select its pods',
    given: installed(workload('Deployment', '{matchLabels: {app: web}}', '{app: api}')),
    why: ['Deployment default/w: Failed to apply manifest', '`selector` does not match template `labels`'],
  },
  {
    mistake: 30,
    title: 'a kind that the cluster does not know',
    given: installed('{apiVersion: x.io/v1, kind: Widget, metadata: {name: w, namespace: default}}'),
    why: ['Widget default/w: Failed to apply manifest', 'outrigger render NAME --cluster cluster1'],
    never: ['<cluster>'],
  },
  {
    mistake: 30,
    title: 'a namespace that does not exist on the cluster',
    given: installed('{apiVersion: v1, kind: ConfigMap, metadata: {name: w, namespace: nowhere}}'),
    why: ['ConfigMap nowhere/w: Failed to apply manifest: namespaces "nowhere" not found'],
  },
  { mistake: 28, title: 'a bad name is refused', text: declaration('NAME_', '{}'), refused: 'RFC 1123' },
  {
    mistake: 31,
    title: 'a bad operator is refused',
    text: declaration(
      'NAME',
      '{installStrategy: {type: ClusterLabelSelector, labelSelector: {matchExpressions: [{key: a, operator: Equals}]}}}',
    ),
    refused: 'supported values: "In", "NotIn", "Exists", "DoesNotExist"',
  },
  {
    mistake: 32,
    title: 'an installation without a declaration',
    given: installation('cluster1', '{}'),
    why: ['there is no add-on "NAME"'],
  },
  {
    mistake: 8,
    title: 'a variable of a config without a namespace for its agent arrives',
    given: `${config('NAME', '{customizedVariables: [{name: LOG, value: info}]}')}---\n${template('NAME-v1', '{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME, namespace: default}, data: {k: "{{LOG}}"}}', { addOn: 'NAME' })}---\n${declaration('NAME', `{supportedConfigs: [${TEMPLATES}, {group: ${GROUP}, resource: addondeploymentconfigs, defaultConfig: {namespace: default, name: NAME}}], ${EVERYWHERE}}`)}`,
    why: ['✓'],
    never: ['✗'],
  },
];
