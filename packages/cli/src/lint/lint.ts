import {
  ADDON_GROUP,
  type AddOnDeploymentConfig,
  type AddOnTemplate,
  type AddOnView,
  type AdmissionLookup,
  CLUSTER_NAME_VARIABLE,
  type ClusterManagementAddOn,
  DEFAULT_INSTALL_NAMESPACE,
  HUB_KUBECONFIG_VARIABLE,
  HUB_NAMESPACE,
  INSTALL_NAMESPACE_VARIABLE,
  KIND_DEFINITIONS,
  type TemplateView,
  type Validator,
  addOnView,
  convertObject,
  parseTemplateText,
  review,
  templateView,
  textsInside,
} from '@outrigger/api';
import { type KubeObject, apiVersionOf, errorMessage, parseApiVersion } from '@outrigger/core';
import type { FileObject } from '../fleet/files.js';
import { nearest } from '../terminal/suggest.js';

/** A problem in a file: the hub would refuse the object, or it would fail later. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  /** `AddOnTemplate hello-v1` */
  readonly object: string;
  readonly message: string;
  /** Whether the hub would accept the object, with this warning. */
  readonly isWarning?: true;
}

export interface LintOptions {
  readonly validator: Validator;
  /** Variables that configs outside of these files define. */
  readonly variables: readonly string[];
}

const PRESET = [HUB_KUBECONFIG_VARIABLE, CLUSTER_NAME_VARIABLE, INSTALL_NAMESPACE_VARIABLE];

/**
 * Reports every problem that can be found without a hub: violations of schemas, of rules between the given objects, and undefined
 * variables.
 */
export function lint(files: readonly FileObject[], options: LintOptions): readonly Problem[] {
  const lookup = lookupIn(files.map(({ object }) => object));
  const defined = [...PRESET, ...options.variables, ...definedVariables(files)];
  return files.flatMap((file) => {
    const { refused, warned } = findingsOf(file.object, lookup, options.validator, defined);
    const object = `${file.object.kind} ${file.object.metadata.name ?? '(no name)'}`;
    const place = { file: file.file, line: file.line, object };
    return [
      ...refused.map((message) => ({ ...place, message })),
      ...warned.map((message): Problem => ({ ...place, message, isWarning: true })),
    ];
  });
}

interface Findings {
  readonly refused: readonly string[];
  readonly warned: readonly string[];
}

function findingsOf(object: KubeObject, lookup: AdmissionLookup, validator: Validator, defined: readonly string[]): Findings {
  const checked = validator.check(object);
  if (!checked) return { refused: unknownKind(object), warned: [] };
  const schema = [
    ...checked.errors.map((error) => `${error.field}: ${error.detail}`),
    ...checked.unknownFields.map((field) => `${field}: there is no such field; it would be dropped`),
  ];
  // The rules between objects assume objects that are valid by their schemas.
  if (checked.errors.length > 0) return { refused: schema, warned: [] };
  const { refused, warned } = reviewed(checked.object, lookup);
  return { refused: [...schema, ...refused, ...undefinedVariables(checked.object, defined)], warned };
}

/** Reports a kind that does not exist in one of our groups as a typo; kinds of other groups are not checked. */
function unknownKind({ apiVersion, kind }: KubeObject): readonly string[] {
  const known = KIND_DEFINITIONS.flatMap((one) =>
    one.versions.map(({ version }) => ({ apiVersion: apiVersionOf({ group: one.group, version }), kind: one.kind })),
  );
  const { group } = parseApiVersion(apiVersion);
  const near = nearest(kind, new Set(known.map((one) => one.kind)));
  const isOurs = known.some((one) => parseApiVersion(one.apiVersion).group === group);
  if (!isOurs) return [];
  const right = known.find((one) => one.kind === near);
  return [`there is no ${apiVersion} ${kind}${right ? `: did you mean ${right.apiVersion} ${right.kind}?` : ''}`];
}

function reviewed(object: KubeObject, lookup: AdmissionLookup): Findings {
  const { group, version } = parseApiVersion(object.apiVersion);
  const { name, namespace } = object.metadata;
  const result = review(
    {
      operation: 'CREATE',
      kind: { group, version, kind: object.kind },
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      userInfo: { username: 'lint' },
      object,
    },
    withoutSelf(lookup, object),
    { managerNamespace: HUB_NAMESPACE, trustedUsers: ['lint'], checkMissingExecutor: false },
  );
  return result.allowed ? { refused: [], warned: result.warnings ?? [] } : { refused: [result.message], warned: [] };
}

/** The lookup without the template itself, so that it does not collide with itself. */
function withoutSelf(lookup: AdmissionLookup, { kind, metadata }: KubeObject): AdmissionLookup {
  if (kind !== 'AddOnTemplate') return lookup;
  const others = (views: Iterable<TemplateView>): readonly TemplateView[] => [...views].filter(({ name }) => name !== metadata.name);
  return { ...lookup, templatesOf: (addOn) => others(lookup.templatesOf(addOn)) };
}

function undefinedVariables(object: KubeObject, defined: readonly string[]): readonly string[] {
  if (object.kind !== 'AddOnTemplate') return [];
  const manifests = (object as AddOnTemplate).spec.agentSpec.workload?.manifests ?? [];
  return manifests.flatMap((manifest, index) =>
    [...textsInside(manifest, `spec.agentSpec.workload.manifests[${index}]`)].flatMap(({ text, path }) => {
      const parsed = parseTemplateText(text);
      if ('problem' in parsed) return [];
      const names = parsed.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.variable]));
      return [...new Set(names)].filter((name) => !defined.includes(name)).map((name) => variableProblem(name, path, defined));
    }),
  );
}

function variableProblem(name: string, path: string, defined: readonly string[]): string {
  const near = nearest(name, defined);
  const hint = near
    ? `did you mean {{${near}}}?`
    : 'define it in the customizedVariables of an AddOnDeploymentConfig, or name it with --variables if one on the hub does';
  return `${path}: nobody defines the variable ${name}: ${hint}`;
}

function definedVariables(files: readonly FileObject[]): readonly string[] {
  return files.flatMap(({ object }) => (object.kind === 'AddOnDeploymentConfig' ? variableNames(object as AddOnDeploymentConfig) : []));
}

function variableNames({ spec }: AddOnDeploymentConfig): readonly string[] {
  const variables: unknown = (spec as AddOnDeploymentConfig['spec'] | undefined)?.customizedVariables;
  return Array.isArray(variables)
    ? variables.flatMap((one: { readonly name?: unknown }) => (typeof one.name === 'string' ? [one.name] : []))
    : [];
}

/** The given objects, in the form that the admission rules read. */
export function lookupIn(objects: readonly KubeObject[]): AdmissionLookup {
  const addOns: AddOnView[] = [];
  const templates: TemplateView[] = [];
  const configs = objects.filter((object): object is AddOnDeploymentConfig => object.kind === 'AddOnDeploymentConfig');
  for (const object of objects) {
    // Skip malformed objects here: the schema check reports them, and for the other objects they do not exist.
    try {
      if (object.kind === 'ClusterManagementAddOn')
        addOns.push(addOnView(convertObject(object, `${ADDON_GROUP}/v1alpha1`) as ClusterManagementAddOn));
      if (object.kind === 'AddOnTemplate') templates.push(templateView(object as AddOnTemplate));
    } catch (error) {
      if (!(error instanceof TypeError))
        throw new Error(`reading ${object.kind} ${object.metadata.name}: ${errorMessage(error)}`, { cause: error });
    }
  }
  return {
    addOn: (name) => addOns.find((one) => one.name === name),
    addOns: () => addOns,
    template: (name) => templates.find((one) => one.name === name),
    templatesOf: (addOn) => templates.filter(({ addonName }) => addonName === addOn),
    publishedConfigs: () => [],
    deploymentConfig(namespace, name) {
      const found = configs.find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace);
      return found && { agentInstallNamespace: installNamespaceOf(found) };
    },
    // Empty, because a reference in one of the files is reported at the referencing object.
    deploymentConfigUsers: () => [],
    isPartial: true,
    installations: () => 0,
    addOnsOn: () => [],
    isTerminating: () => false,
  };
}

/** The namespace as the API server would store it: the schema's default if the field is not set. */
function installNamespaceOf({ spec }: AddOnDeploymentConfig): string {
  const value: unknown = (spec as AddOnDeploymentConfig['spec'] | undefined)?.agentInstallNamespace;
  return typeof value === 'string' ? value : DEFAULT_INSTALL_NAMESPACE;
}
