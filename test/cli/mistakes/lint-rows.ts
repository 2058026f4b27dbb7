/** One mistake in a file, and the expected output of `outrigger lint`. */
export interface LintRow {
  /**
   * The number of the mistake, 1 to 32, by which the test titles name it. Rows with the same number are further cases of the same mistake.
   */
  readonly mistake: number;
  readonly title: string;
  readonly text: string;
  /** The line number in the output. */
  readonly line?: number;
  /** The texts that the output contains. The list is empty if lint reports nothing, because only a hub can detect the mistake. */
  readonly says: readonly string[];
  /** The exit code. By default it is 5. */
  readonly code?: number;
}

const ALPHA = 'addon.open-cluster-management.io/v1alpha1';
const VERSIONED = 'labels: {open-cluster-management.io/addon-version: v1}';

export function declaration(name: string, spec: string, apiVersion = ALPHA): string {
  return `apiVersion: ${apiVersion}\nkind: ClusterManagementAddOn\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
}

export function template(name: string, manifests: string, { addOn = 'web', rest = '', metadata = VERSIONED } = {}): string {
  return `apiVersion: ${ALPHA}\nkind: AddOnTemplate\nmetadata: {name: ${name}, ${metadata}}\nspec: {addonName: ${addOn}, ${rest}agentSpec: {workload: {manifests: [\n  ${manifests.replaceAll('\n', '\n  ')}\n  ]}}}\n`;
}

export function config(name: string, spec: string): string {
  return `apiVersion: ${ALPHA}\nkind: AddOnDeploymentConfig\nmetadata: {name: ${name}, namespace: default}\nspec: ${spec}\n`;
}

export const CONFIG_MAP = '{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}}';

/** Returns a workload of `apps/v1` with the given selector and pod labels. */
export function workload(kind: string, selector: string, labels: string, more = ''): string {
  const pods = `{metadata: {labels: ${labels}}, spec: {containers: [{name: c, image: i}]}}`;
  return `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: w, namespace: default}, spec: {${more}selector: ${selector}, template: ${pods}}}`;
}

const text = (value: string): string => `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: "${value}"}}`;
const strategy = (name: string, value: string): string =>
  declaration(
    'web',
    `{installStrategy: {type: ClusterLabelSelector, labelSelector: {}, rolloutStrategy: {type: Progressive, progressive: {${name}: ${value}}}}}`,
  );
const granting = (role: string): string =>
  template('web-v1', CONFIG_MAP, {
    rest: `registration: [{type: KubeClient, kubeClient: {hubPermissions: [${role}]}}], `,
  });
const MANIFEST = 'spec.agentSpec.workload.manifests';
const ROLLOUT = 'spec.installStrategy.rolloutStrategy.progressive';

const misspelled: readonly LintRow[] = [
  {
    mistake: 1,
    title: 'agentSpecs for agentSpec',
    text: `apiVersion: ${ALPHA}\nkind: AddOnTemplate\nmetadata: {name: t, ${VERSIONED}}\nspec:\n  addonName: web\n  agentSpecs: {}\n`,
    line: 6,
    says: ['spec.agentSpecs: there is no such field: did you mean agentSpec?', 'spec.agentSpec: a value is required, and there is none'],
  },
  {
    mistake: 1,
    title: 'addonname for addonName',
    text: `apiVersion: ${ALPHA}\nkind: AddOnTemplate\nmetadata: {name: t}\nspec:\n  addonname: web\n  agentSpec: {}\n`,
    line: 5,
    says: ['spec.addonname: there is no such field: did you mean addonName?', 'spec.addonName: a value is required'],
  },
  {
    mistake: 2,
    title: 'labelSelectors for labelSelector',
    text: declaration('web', '\n  installStrategy:\n    type: ClusterLabelSelector\n    labelSelectors: {}'),
    line: 7,
    says: ['labelSelectors: there is no such field: did you mean labelSelector?', 'type ClusterLabelSelector needs labelSelector'],
  },
  {
    mistake: 2,
    title: 'a field with nothing similar, with the known ones',
    text: declaration('web', '\n  installStrategy:\n    placment: 1'),
    line: 6,
    says: ['spec.installStrategy.placment: there is no such field: did you mean placements?'],
  },
  {
    mistake: 2,
    title: 'a field of a manifest',
    text: template('t', workload('Deployment', '{matchLabels: {a: b}}', '{a: b}', 'replica: 2, ')),
    line: 5,
    says: [`${MANIFEST}[0].spec.replica: there is no such field: did you mean replicas?`],
  },
  {
    mistake: 3,
    title: 'an unknown strategy type',
    text: declaration('web', '\n  installStrategy:\n    type: Placement'),
    line: 6,
    says: [
      'spec.installStrategy.type: "Placement" is not supported: did you mean Placements? Use Manual, Placements or ClusterLabelSelector',
    ],
  },
  {
    mistake: 3,
    title: 'an unknown rollout type',
    text: declaration('web', '{installStrategy: {type: ClusterLabelSelector, labelSelector: {}, rolloutStrategy: {type: Canary}}}'),
    says: ['rolloutStrategy.type: "Canary" is not supported: use All, Progressive or ProgressivePerGroup'],
  },
  {
    mistake: 3,
    title: 'an unknown dependency type',
    text: declaration('web', '{dependencies: [{name: a, type: required}]}'),
    says: ['spec.dependencies[0].type: "required" is not supported: did you mean Required? Use Required or Optional'],
  },
];

const apiVersions: readonly LintRow[] = [
  {
    mistake: 4,
    title: 'a version that does not exist',
    text: `# a comment\n${declaration('web', '{}', 'addon.open-cluster-management.io/v1')}`,
    line: 2,
    says: [
      'ClusterManagementAddOn web: apiVersion: there is no version v1 of ClusterManagementAddOn: use addon.open-cluster-management.io/v1alpha1 or addon.open-cluster-management.io/v1beta1',
    ],
  },
  {
    mistake: 4,
    title: 'a misspelled group',
    text: declaration('web', '{}', 'addons.open-cluster-management.io/v1alpha1'),
    line: 1,
    says: ['there is no ClusterManagementAddOn in group addons.open-cluster-management.io: use addon.open-cluster-management.io/v1alpha1'],
  },
  {
    mistake: 4,
    title: 'the group of another kind',
    text: declaration('web', '{}', 'cluster.open-cluster-management.io/v1'),
    line: 1,
    says: ['there is no ClusterManagementAddOn in group cluster.open-cluster-management.io: use addon.open-cluster-management.io/v1alpha1'],
  },
  {
    mistake: 4,
    title: 'no group',
    text: declaration('web', '{}', 'v1'),
    line: 1,
    says: ['there is no ClusterManagementAddOn in v1: use addon.'],
  },
  {
    mistake: 4,
    title: 'a misspelled kind',
    text: declaration('web', '{}').replace('ClusterManagementAddOn', 'ClusterManagementAddon'),
    line: 2,
    says: ['kind: there is no addon.open-cluster-management.io/v1alpha1 ClusterManagementAddon: did you mean ClusterManagementAddOn'],
  },
  {
    mistake: 4,
    title: 'a version of a manifest that does not exist',
    text: template('t', '{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: w}}'),
    line: 5,
    says: [`${MANIFEST}[0].apiVersion: there is no version v1beta1 of Deployment: use apps/v1`],
  },
  {
    mistake: 4,
    title: 'the group of a manifest left out',
    text: template('t', '{apiVersion: v1, kind: DaemonSet, metadata: {name: w}}'),
    line: 5,
    says: [`${MANIFEST}[0].apiVersion: there is no DaemonSet in v1: use apps/v1`],
  },
  {
    mistake: 4,
    title: 'a group of old versions of Kubernetes',
    text: template('t', '{apiVersion: extensions/v1beta1, kind: Ingress, metadata: {name: w}}'),
    line: 5,
    says: [`${MANIFEST}[0].apiVersion: there is no Ingress in group extensions: use networking.k8s.io/v1`],
  },
  {
    mistake: 4,
    title: 'apiversion in lower case',
    text: `kind: ClusterManagementAddOn\napiversion: ${ALPHA}\n`,
    line: 1,
    says: ['not a Kubernetes object: apiVersion is missing; write apiVersion instead of apiversion'],
  },
  { mistake: 4, title: 'no apiVersion', text: 'kind: AddOnTemplate\n', line: 1, says: ['not a Kubernetes object: apiVersion is missing'] },
];

const references: readonly LintRow[] = [
  {
    mistake: 5,
    title: 'a default template that does not exist',
    text: `${declaration('web', '\n  supportedConfigs:\n  - group: addon.open-cluster-management.io\n    resource: addontemplates\n    defaultConfig: {name: web-v7}')}---\n${template('web-v1', CONFIG_MAP)}`,
    line: 8,
    says: [
      'warning: ClusterManagementAddOn web: spec.supportedConfigs[0].defaultConfig.name: there is no AddOnTemplate web-v7 in these files: did you mean web-v1?',
    ],
    code: 0,
  },
  ...(['v1alpha1', 'v1beta1'] as const).map((version): LintRow => {
    const field = version === 'v1alpha1' ? 'supportedConfigs' : 'defaultConfigs';
    const named = version === 'v1alpha1' ? 'defaultConfig: {name: web-v7}' : 'name: web-v7';
    const path = version === 'v1alpha1' ? 'spec.supportedConfigs[0].defaultConfig' : 'spec.defaultConfigs[0]';
    return {
      mistake: 5,
      title: `a default template that does not exist, in ${version}`,
      text: `${declaration('web', `{${field}: [{group: addon.open-cluster-management.io, resource: addontemplates, ${named}}]}`, `addon.open-cluster-management.io/${version}`)}---\n${template('web-v1', CONFIG_MAP)}`,
      says: [`${path}.name: there is no AddOnTemplate web-v7 in these files: did you mean web-v1?`],
      code: 0,
    };
  }),
  {
    mistake: 22,
    title: 'a resource in the singular',
    text: declaration('web', '{supportedConfigs: [{group: addon.open-cluster-management.io, resource: addontemplate}]}'),
    says: [
      'spec.supportedConfigs[0].resource: there is no addontemplate in addon.open-cluster-management.io: did you mean addontemplates?',
    ],
    code: 0,
  },
  {
    mistake: 22,
    title: 'a resource without its group, in v1beta1',
    text: declaration(
      'web',
      '{defaultConfigs: [{resource: addondeploymentconfigs, namespace: default, name: c}]}',
      'addon.open-cluster-management.io/v1beta1',
    ),
    says: [
      'spec.defaultConfigs[0].group: addondeploymentconfigs without a group do not exist: did you mean addon.open-cluster-management.io?',
    ],
    code: 0,
  },
  {
    mistake: 22,
    title: 'a group with a typo',
    text: declaration('web', '{supportedConfigs: [{group: addons.open-cluster-management.io, resource: addontemplates}]}'),
    says: [
      'spec.supportedConfigs[0].group: there is no group addons.open-cluster-management.io: did you mean addon.open-cluster-management.io?',
    ],
    code: 0,
  },
  {
    mistake: 6,
    title: 'a template of another add-on',
    text: `${declaration('web', '{supportedConfigs: [{group: addon.open-cluster-management.io, resource: addontemplates, defaultConfig: {name: t}}]}')}---\n${template('t', CONFIG_MAP, { addOn: 'wed' })}`,
    says: ['the AddOnTemplate t is of the add-on wed (spec.addonName), not of web'],
    code: 0,
  },
  {
    mistake: 7,
    title: 'a template without a version',
    text: template('t', CONFIG_MAP, { metadata: 'labels: {a: b}' }),
    line: 3,
    says: [
      'warning: AddOnTemplate t: metadata.labels: without the label open-cluster-management.io/addon-version the template is no version',
    ],
    code: 0,
  },
  {
    mistake: 12,
    title: 'type Placements without a Placement',
    text: declaration('web', '\n  installStrategy:\n    type: Placements'),
    line: 5,
    says: ['spec.installStrategy.placements: type Placements names no Placement, so the add-on is installed on no cluster'],
  },
  {
    mistake: 12,
    title: 'type Placements with an empty list',
    text: declaration('web', '\n  installStrategy:\n    type: Placements\n    placements: []'),
    line: 7,
    says: ['type Placements names no Placement'],
  },
  {
    mistake: 13,
    title: 'a cycle of two',
    text: `${declaration('a', '{dependencies: [{name: b}]}')}---\n${declaration('b', '{dependencies: [{name: a}]}')}`,
    says: ['the dependencies form a cycle: a -> b -> a'],
  },
  {
    mistake: 13,
    title: 'a cycle of three',
    text: ['a b', 'b c', 'c a'].map((pair) => declaration(pair.slice(0, 1), `{dependencies: [{name: ${pair.slice(2)}}]}`)).join('---\n'),
    says: ['a -> b -> c -> a'],
  },
  { mistake: 14, title: 'a dependency on itself', text: declaration('web', '{dependencies: [{name: web}]}'), says: ['itself'] },
  {
    mistake: 18,
    title: 'a ClusterRole that does not exist',
    text: granting('{type: CurrentCluster, roleRef: {kind: ClusterRole, name: web-hub}}'),
    line: 4,
    says: ['hubPermissions[0]: there is no ClusterRole web-hub in these files; add it to them, or name it with --roles if the hub has it'],
  },
  {
    mistake: 18,
    title: 'a ClusterRole that does not exist, in the other form',
    text: granting('{type: CurrentCluster, currentCluster: {clusterRoleName: web-hub}}'),
    says: ['there is no ClusterRole web-hub in these files'],
  },
  {
    mistake: 18,
    title: 'a Role in another namespace',
    text: `${granting('{type: SingleNamespace, singleNamespace: {namespace: shop, roleRef: {kind: Role, name: web-hub}}}')}---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: web-hub, namespace: default}\nrules: []\n`,
    says: ['there is no Role shop/web-hub in these files'],
  },
  {
    mistake: 22,
    title: 'a config of a kind that is not supported',
    text: declaration(
      'web',
      '{installStrategy: {type: ClusterLabelSelector, labelSelector: {}, configs: [{group: x.io, resource: things, name: one}]}}',
    ),
    says: ['things.x.io is not among the supportedConfigs of the add-on web, so it is not applied; add it there or remove the reference'],
    code: 0,
  },
  {
    mistake: 26,
    title: 'two templates of one version',
    text: `${template('one', CONFIG_MAP)}---\n${template('two', CONFIG_MAP)}`,
    says: ['version v1 of the add-on web is the AddOnTemplate'],
  },
];

const variables: readonly LintRow[] = [
  {
    mistake: 8,
    title: 'a variable with a near name',
    text: template('t', text('{{CLUSTERNAME}}')),
    line: 5,
    says: ['did you mean {{CLUSTER_NAME}}?'],
  },
  {
    mistake: 8,
    title: 'another variable with a near name',
    text: template('t', text('{{INSTALL_NAMESPCE}}')),
    says: ['did you mean {{INSTALL_NAMESPACE}}?'],
  },
  {
    mistake: 8,
    title: 'a variable of a config that the add-on does not reference',
    text: [
      template('t', text('{{LOG_LEVEL}}')),
      config('c', '{customizedVariables: [{name: LOG_LEVEL, value: info}]}'),
      declaration('web', '{}'),
    ].join('---\n'),
    line: 5,
    says: [
      'the variable LOG_LEVEL is not defined: AddOnDeploymentConfig default/c defines it, but the add-on web does not reference that config; add {group:',
    ],
  },
  {
    mistake: 8,
    title: 'a variable of a referenced config that is not in the files',
    text: [
      template('t', text('{{LOG_LEVEL}}')),
      declaration(
        'web',
        '{supportedConfigs: [{group: addon.open-cluster-management.io, resource: addondeploymentconfigs, defaultConfig: {name: c, namespace: default}}]}',
      ),
    ].join('---\n'),
    says: ['AddOnDeploymentConfig default/c is not in these files; add it to them, or name the variable with --variables'],
  },
  {
    mistake: 9,
    title: 'a Go template',
    text: template('t', text('{{ .ClusterName }}')),
    says: ['.ClusterName', 'write \\{{ for two literal braces'],
  },
  {
    mistake: 9,
    title: 'a Helm value',
    text: template('t', text('{{ .Values.image | quote }}')),
    says: ['write \\{{ for two literal braces'],
  },
  { mistake: 10, title: 'braces that do not close', text: template('t', text('{{CLUSTER_NAME')), says: [`${MANIFEST}[0].data.k`] },
];

const values: readonly LintRow[] = [
  ...[
    ['maxConcurrency', '150%'],
    ['maxConcurrency', 'many'],
    ['maxFailures', '101%'],
    ['maxFailures', '10 %'],
  ].map(
    ([field = '', value = '']): LintRow => ({
      mistake: 19,
      title: `${field} ${value}`,
      text: strategy(field, value),
      line: 4,
      says: [`${ROLLOUT}.${field}: "${value}": use a number, or 0% to 100%`],
    }),
  ),
  {
    mistake: 19,
    title: 'maxFailures -1',
    text: strategy('maxFailures', '-1'),
    says: [`${ROLLOUT}.maxFailures: -1: must be greater than or equal to 0`],
  },
  ...['5 minutes', '5', '1d', 'never'].map(
    (value): LintRow => ({
      mistake: 20,
      title: `progressDeadline ${value}`,
      text: strategy('progressDeadline', `"${value}"`),
      says: [`${ROLLOUT}.progressDeadline: "${value}": use a duration such as 30s, 5m or 1h30m, or None`],
    }),
  ),
  {
    mistake: 20,
    title: 'minSuccessTime 5 minutes',
    text: strategy('minSuccessTime', '5 minutes'),
    says: [`${ROLLOUT}.minSuccessTime: "5 minutes": use a duration such as 30s, 5m or 1h30m, or 0`],
  },
  {
    mistake: 20,
    title: 'a number for a duration',
    text: strategy('progressDeadline', '5'),
    says: [`${ROLLOUT}.progressDeadline: must be a string, not 5: write it in quotes`],
  },
  {
    mistake: 21,
    title: 'a manifest without a kind',
    text: template('t', `${CONFIG_MAP},\n{apiVersion: v1, metadata: {name: d}}`),
    line: 6,
    says: [`${MANIFEST}[1].kind: a value is required, and there is none`],
  },
  {
    mistake: 21,
    title: 'a manifest without an apiVersion',
    text: template('t', '{kind: ConfigMap, metadata: {name: d}}'),
    line: 5,
    says: [`${MANIFEST}[0].apiVersion: a value is required, and there is none`],
  },
  {
    mistake: 21,
    title: 'a manifest without a name',
    text: template('t', '{apiVersion: v1, kind: ConfigMap, metadata: {}}'),
    line: 5,
    says: [`${MANIFEST}[0].metadata.name: every manifest needs a name`],
  },
  {
    mistake: 21,
    title: 'a dependency without a name',
    text: declaration('web', '{dependencies: [{type: Required}]}'),
    says: ['spec.dependencies[0].name: a value is required, and there is none'],
  },
  {
    mistake: 28,
    title: 'a name with an underscore',
    text: declaration('my_web', '{}'),
    line: 3,
    says: ['metadata.name: "my_web": a lowercase RFC 1123 subdomain must consist of'],
  },
  {
    mistake: 28,
    title: 'a version that is no label value',
    text: template('t', CONFIG_MAP, { metadata: 'labels: {open-cluster-management.io/addon-version: "v 1"}' }),
    line: 3,
    says: ['metadata.labels: "v 1": a valid label must'],
  },
  {
    mistake: 28,
    title: 'a version without quotes that YAML reads as a number',
    text: template('t', CONFIG_MAP, { metadata: 'labels: {open-cluster-management.io/addon-version: 1.0}' }),
    line: 3,
    says: ['metadata.labels[open-cluster-management.io/addon-version]: must be a string, not 1: write it in quotes'],
  },
  {
    mistake: 28,
    title: 'an annotation that is true',
    text: declaration('web', '{}').replace('{name: web}', '{name: web, annotations: {a: true}}'),
    line: 3,
    says: ['metadata.annotations[a]: must be a string, not true: write it in quotes'],
  },
  {
    mistake: 28,
    title: 'a name that is a number',
    text: declaration('5', '{}'),
    line: 3,
    says: ['metadata.name: must be a string, not 5: write it in quotes'],
  },
  {
    mistake: 31,
    title: 'an operator that does not exist',
    text: declaration(
      'web',
      '{installStrategy: {type: ClusterLabelSelector, labelSelector: {matchExpressions: [{key: a, operator: Equals, values: [b]}]}}}',
    ),
    says: ['operator: "Equals" is not supported: use In, NotIn, Exists or DoesNotExist'],
  },
];

const manifests: readonly LintRow[] = [
  ...['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet'].map(
    (kind): LintRow => ({
      mistake: 29,
      title: `the selector of a ${kind} does not select its pods`,
      text: template('t', workload(kind, '{matchLabels: {app: web}}', '{app: api}', kind === 'StatefulSet' ? 'serviceName: s, ' : '')),
      line: 5,
      says: [
        `${MANIFEST}[0].spec.selector: the ${kind} selects pods with app=web, but its own pods have app=api (spec.template.metadata.labels), so clusters refuse it`,
      ],
    }),
  ),
  {
    mistake: 29,
    title: 'a selector by expression',
    text: template('t', workload('Deployment', '{matchExpressions: [{key: app, operator: In, values: [web, api]}]}', '{tier: x}')),
    says: ['selects pods with app in (api,web), but its own pods have tier=x'],
  },
  {
    mistake: 29,
    title: 'no selector',
    text: template('t', workload('Deployment', 'null', '{app: web}')),
    says: [`${MANIFEST}[0].spec.selector`],
  },
  {
    mistake: 30,
    title: 'a kind with a typo',
    text: template('t', '{apiVersion: apps/v1, kind: Deploymnet, metadata: {name: w}}'),
    line: 5,
    says: [`${MANIFEST}[0].kind: there is no apps/v1 Deploymnet: did you mean Deployment (apps/v1)?`],
  },
  {
    mistake: 30,
    title: 'a kind of another group, which only the cluster knows',
    text: template('t', '{apiVersion: x.io/v1, kind: Widget, metadata: {name: w}}'),
    says: [],
    code: 0,
  },
  ...[
    ['"2"', 'must be a whole number, not the string "2": write 2 without quotes'],
    ['"{{CLUSTER_NAME}}"', 'must be a whole number, and a variable always gives a string: write the value itself'],
    ['two', 'must be a whole number, not the string "two"'],
    ['1.5', 'must be a whole number, not 1.5'],
  ].map(
    ([value = '', says = '']): LintRow => ({
      mistake: 30,
      title: `replicas: ${value}`,
      text: template('t', workload('Deployment', '{matchLabels: {a: b}}', '{a: b}', `replicas: ${value}, `)),
      line: 5,
      says: [`${MANIFEST}[0].spec.replicas: ${says}`],
    }),
  ),
  {
    mistake: 30,
    title: 'a number for a string',
    text: template('t', '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {port: 8080}}'),
    says: [`${MANIFEST}[0].data.port: must be a string, not 8080: write it in quotes`],
  },
];

const yaml: readonly LintRow[] = [
  {
    mistake: 16,
    title: 'a tab',
    text: `apiVersion: ${ALPHA}\nkind: AddOnTemplate\nmetadata:\n\tname: t\n`,
    line: 4,
    says: ['Tabs are not allowed as indentation'],
  },
  {
    mistake: 17,
    title: 'a wrong indentation',
    text: `apiVersion: ${ALPHA}\nkind: AddOnTemplate\nmetadata:\n  name: t\n labels: {}\n`,
    line: 5,
    says: ['input.yaml:5: column 1: All mapping items must start at the same column'],
  },
  {
    mistake: 17,
    title: 'a key twice',
    text: `apiVersion: ${ALPHA}\nkind: AddOnTemplate\nkind: AddOnTemplate\n`,
    line: 3,
    says: ['duplicate key "kind"'],
  },
  {
    mistake: 16,
    title: 'braces without quotes',
    text: template('t', '{apiVersion: apps/v1, kind: Deployment, metadata: {name: w}, spec: {\nreplicas: {{REPLICAS}}\n}}'),
    line: 6,
    says: ['put a value that starts with {{ in quotes'],
  },
  {
    mistake: 16,
    title: 'braces without quotes, and text behind them',
    text: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{CLUSTER_NAME}}-config\n',
    line: 4,
    says: ['put a value that starts with {{ in quotes'],
  },
];

/** Mistakes that only a hub or a cluster can detect, so lint must accept these files. `hub-rows.ts` has the hub's messages. */
const hubOnly: readonly LintRow[] = [
  {
    mistake: 11,
    title: 'a Placement that is not in the files',
    text: declaration('web', '{installStrategy: {type: Placements, placements: [{namespace: default, name: nowhere}]}}'),
    says: [],
    code: 0,
  },
  {
    mistake: 15,
    title: 'a dependency that is not in the files',
    text: declaration('web', '{dependencies: [{name: ghost}]}'),
    says: [],
    code: 0,
  },
];

export const LINT_ROWS: readonly LintRow[] = [
  ...misspelled,
  ...apiVersions,
  ...references,
  ...variables,
  ...values,
  ...manifests,
  ...yaml,
  ...hubOnly,
];
