import {
  ADDON_GROUP,
  ADDON_VERSION_LABEL,
  type AddOnTemplate,
  type AdmissionLookup,
  type ClusterManagementAddOn,
  HUB_NAMESPACE,
  type RolloutPolicy,
  type Validator,
  convertObject,
  asWritten,
  managementReferences,
  placementsMissing,
  review,
} from '@outrigger/api';
import { type KubeObject, indexBy, parseApiVersion } from '@outrigger/core';
import type { FileObject } from '../fleet/files.js';
import { nearest } from '@outrigger/rules/explanation';
import { builtinProblems } from './builtin.js';
import { configKindProblems } from './config-kinds.js';
import { unknownField } from './known-fields.js';
import { unknownKind } from './known-kinds.js';
import { lookupIn, withoutSelf } from './lookup.js';
import { manifestProblems } from './manifests.js';
import { pathOf, stepsOf } from './path.js';
import { policyFindings } from './policies.js';
import { missingRoles } from './roles.js';
import { schemaProblems } from './schema-problems.js';
import { type VariableSources, undefinedVariables, variableSources } from './variables.js';

/** A mistake in a file that makes the hub reject the object, or that makes the object fail later. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  /** The object, such as `AddOnTemplate hello-v1`; empty for an error that concerns the whole file. */
  readonly object: string;
  readonly message: string;
  /** Set if the hub would accept the object with a warning. */
  readonly isWarning?: true;
}

export interface LintOptions {
  readonly validator: Validator;
  /** The variables that configs outside of these files define. */
  readonly variables: readonly string[];
  /** The roles that exist on the hub but not in these files. */
  readonly roles: readonly string[];
  /** The current time. Windows of RolloutPolicies must open after this time. */
  readonly nowMs: number;
  /**
   * Whether every part of the files could be read as an object. If not, an object that seems to be missing may be in an unreadable part.
   */
  readonly isComplete: boolean;
}

interface Context extends LintOptions {
  readonly objects: readonly KubeObject[];
  readonly byName: ReadonlyMap<string, readonly KubeObject[]>;
  readonly lookup: AdmissionLookup;
  readonly sources: VariableSources;
}

interface Findings {
  readonly refused: readonly string[];
  readonly warned: readonly string[];
}

/**
 * Reports every error that can be found without a hub: violations of schemas and of rules between the given objects, manifests that a
 * cluster would reject, undefined variables and missing roles.
 */
export function lint(files: readonly FileObject[], options: LintOptions): readonly Problem[] {
  const objects = files.map(({ object }) => object);
  const context: Context = {
    ...options,
    objects,
    byName: indexBy(objects, ({ metadata }) => [metadata.name ?? '']),
    lookup: lookupIn(objects),
    sources: variableSources(objects, options.variables),
  };
  return files.flatMap((file) => {
    const { refused, warned } = findingsOf(file.object, context);
    const object = `${file.object.kind} ${file.object.metadata.name ?? '(no name)'}`;
    const problem = (message: string): Problem => ({ file: file.file, line: file.lineOf(stepsOf(pathOf(message))), object, message });
    return [
      ...[...new Set(refused)].map(problem),
      ...[...new Set(warned)].filter((one) => !refused.includes(one)).map((message): Problem => ({ ...problem(message), isWarning: true })),
    ];
  });
}

function findingsOf(object: KubeObject, context: Context): Findings {
  const checked = context.validator.check(object);
  if (!checked) return { refused: builtinProblems(object), warned: [] };
  const schema = context.validator.schemaOf(object);
  const problems = [...schemaProblems(object, checked.errors), ...checked.unknownFields.map((field) => unknownField(field, schema))];
  // Skip the rules between objects if the object violates its schema, because these rules require valid objects.
  if (checked.errors.length > 0) return { refused: problems, warned: [] };
  const { refused, warned } = reviewed(checked.object, context.lookup);
  const own = ownFindings(checked.object, context);
  return { refused: [...problems, ...refused, ...own.refused], warned: [...warned, ...own.warned] };
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

/** Returns findings about objects that the hub would accept but that would fail later. */
function ownFindings(object: KubeObject, context: Context): Findings {
  if (object.kind === 'AddOnTemplate') return templateFindings(object as AddOnTemplate, context);
  if (object.kind === 'ClusterManagementAddOn')
    return declarationFindings(object, convertObject(object, `${ADDON_GROUP}/v1alpha1`) as ClusterManagementAddOn, context);
  if (object.kind === 'RolloutPolicy')
    return { refused: [], warned: policyFindings(object as RolloutPolicy, context.objects, context.nowMs) };
  return { refused: [], warned: [] };
}

function templateFindings(template: AddOnTemplate, { sources, byName, roles }: Context): Findings {
  const version = template.metadata.labels?.[ADDON_VERSION_LABEL];
  return {
    refused: [...manifestProblems(template), ...undefinedVariables(template, sources), ...missingRoles(template, byName, roles)],
    warned: version
      ? []
      : [
          `metadata.labels: without the label ${ADDON_VERSION_LABEL} the template is no version: upgrade and rollback cannot name it; add a version such as v1`,
        ],
  };
}

/** Returns the findings about a declaration. `written` is the object in the file, in its own version; the rules read it as v1alpha1. */
function declarationFindings(written: KubeObject, { metadata, spec }: ClusterManagementAddOn, context: Context): Findings {
  const { lookup } = context;
  const own = [...lookup.templatesOf(metadata.name ?? '')].map(({ name }) => name);
  const missing = managementReferences(spec).filter(
    ({ group, resource, name }) => group === ADDON_GROUP && resource === 'addontemplates' && !lookup.template(name),
  );
  return {
    refused: placementsMissing(spec.installStrategy),
    // Warn about a missing template only if the files contain a template of the add-on; otherwise the files are probably incomplete.
    // A template with errors is not missing: lint reports its errors.
    warned: [
      ...configKindProblems(spec).map((problem) => asWritten(problem, written.apiVersion)),
      ...(own.length === 0 || !context.isComplete
        ? []
        : missing
            .filter(({ name }) => !(context.byName.get(name) ?? []).some(isMistakenTemplate))
            .map(({ path, name }) => `${asWritten(path, written.apiVersion)}.name: ${missingTemplate(name, own)}`)),
    ],
  };
}

/** Whether an object may be a template that cannot be read as one, for example because its kind is misspelled. */
function isMistakenTemplate(object: KubeObject): boolean {
  return object.kind === 'AddOnTemplate' || unknownKind(object) !== undefined;
}

function missingTemplate(name: string, own: readonly string[]): string {
  const near = nearest(name, own);
  return `there is no AddOnTemplate ${name} in these files: ${near === undefined ? `there ${own.length === 1 ? 'is' : 'are'} ${own.join(', ')}` : `did you mean ${near}?`}`;
}
