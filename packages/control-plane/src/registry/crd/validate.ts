import { validateDns1035Label, validateDns1123Subdomain } from '@outrigger/core';
import { fieldError, type FieldError, type StructuralSchema } from '@outrigger/core/schema';
import { validateClientConfig, validateReviewVersions } from '../strategies/webhook-client.js';
import type { Definition, DefinitionNames, DefinitionVersion, PrinterColumn } from './definition.js';
import { schemaProblems } from './schemas.js';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const APPROVAL = 'api-approved.kubernetes.io';

/** Validates a CRD, with the API server's messages. The schema of the kind has already checked the types. */
export function validateDefinition({ metadata, spec }: Definition): FieldError[] {
  const name = `${spec.names.plural}.${spec.group}`;
  return [
    ...(metadata.name === name ? [] : [fieldError.invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...validateApproval(spec.group, metadata.annotations ?? {}),
    ...validateGroup(spec.group),
    ...validateScope(spec.scope),
    ...validateNames(spec.names),
    ...validateVersions(spec.versions),
    ...validateConversion(spec.conversion ?? { strategy: 'None' }),
    ...spec.versions.flatMap(validateWarning),
    ...spec.versions.flatMap((version, i) => validateVersion(version, placesOf(spec.versions.length === 1, i))),
  ];
}

/**
 * Validates the rules that Kubernetes introduced after some CRDs had been created. A stored CRD may keep values that break such a rule.
 * `old` is undefined for a new CRD.
 */
export function validateNewerRules({ spec }: Definition, old: Definition | undefined): FieldError[] {
  if (spec.preserveUnknownFields !== true || old?.spec.preserveUnknownFields === true) return [];
  const why = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [fieldError.invalid('spec.preserveUnknownFields', true, why)];
}

/** Validates that an update does not change fields that are immutable once a CRD is served. */
export function validateDefinitionUpdate(definition: Definition, old: Definition): FieldError[] {
  const { spec, status } = definition;
  const fixed: readonly (readonly [string, unknown, unknown])[] = [
    ['spec.group', spec.group, old.spec.group],
    ['spec.scope', spec.scope, old.spec.scope],
    ['spec.names.plural', spec.names.plural, old.spec.names.plural],
    ['spec.names.kind', spec.names.kind, old.spec.names.kind],
  ];
  const changed = fixed
    .filter(([, now, before]) => now !== before)
    .map(([field, now]) => fieldError.invalid(field, now, 'field is immutable'));
  return [...changed, ...validateNewerRules(definition, old), ...validateStored(spec.versions, status?.storedVersions ?? [])];
}

function validateStored(versions: readonly DefinitionVersion[], stored: readonly string[]): FieldError[] {
  const known = new Set(versions.map(({ name }) => name));
  return stored.flatMap((version, i) => {
    if (known.has(version)) return [];
    const detail = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    return [fieldError.invalid(`status.storedVersions[${i}]`, version, detail)];
  });
}

/** Validates the approval annotation, which is required for API groups of the Kubernetes project. */
function validateApproval(group: string | undefined, annotations: Readonly<Record<string, string>>): FieldError[] {
  const isProtected = ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group?.endsWith(`.${domain}`) === true);
  if (!isProtected || annotations[APPROVAL]) return [];
  const detail = `protected groups must have approval annotation "${APPROVAL}", see https://github.com/kubernetes/enhancements/pull/1111`;
  return [fieldError.required(`metadata.annotations[${APPROVAL}]`, detail)];
}

function validateGroup(group: string | undefined): FieldError[] {
  if (!group) return [fieldError.required('spec.group')];
  const problems = validateDns1123Subdomain(group);
  if (problems.length > 0) return [fieldError.invalid('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [fieldError.invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function validateScope(scope: string): FieldError[] {
  if (!scope) return [fieldError.required('spec.scope')];
  return scope === 'Cluster' || scope === 'Namespaced' ? [] : [fieldError.unsupported('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function validateNames(names: DefinitionNames): FieldError[] {
  const errors: FieldError[] = [];
  const lower = (field: string, value: string | undefined, hint = ''): void => {
    const problems = value ? validateDns1035Label(value.toLowerCase() === value || hint !== '' ? value.toLowerCase() : value) : [];
    if (!value) errors.push(fieldError.required(`spec.names.${field}`));
    else if (problems.length > 0) errors.push(fieldError.invalid(`spec.names.${field}`, value, hint + problems.join(',')));
  };
  const mixed = 'may have mixed case, but should otherwise match: ';
  lower('plural', names.plural);
  lower('singular', names.singular);
  lower('kind', names.kind, mixed);
  lower('listKind', names.listKind, mixed);
  names.shortNames?.forEach((name, i) => lower(`shortNames[${i}]`, name));
  names.categories?.forEach((name, i) => lower(`categories[${i}]`, name));
  if (names.kind && names.kind === names.listKind) {
    errors.push(fieldError.invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'));
  }
  return errors;
}

function validateVersions(versions: readonly DefinitionVersion[]): FieldError[] {
  const errors: FieldError[] = [];
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(fieldError.invalid('spec.versions', versions, 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(fieldError.invalid('spec.versions', versions, 'must have exactly one version marked as storage version'));
  }
  return errors;
}

/** Validates the conversion. As on a real server, errors name the fields of v1beta1 CRDs, such as `spec.conversion.webhookClientConfig`. */
function validateConversion({ strategy, webhook }: NonNullable<Definition['spec']['conversion']>): FieldError[] {
  const [client, versions] = ['spec.conversion.webhookClientConfig', 'spec.conversion.conversionReviewVersions'];
  if (strategy !== 'None' && strategy !== 'Webhook') {
    return [fieldError.unsupported('spec.conversion.strategy', strategy, ['None', 'Webhook'])];
  }
  if (strategy === 'None') {
    const detail = 'should not be set when strategy is not set to Webhook';
    return webhook ? [client, versions].map((path) => fieldError.forbidden(path, detail)) : [];
  }
  return [
    ...(webhook?.clientConfig
      ? validateClientConfig({ ...webhook.clientConfig }, client)
      : [fieldError.required(client, 'required when strategy is set to Webhook')]),
    ...validateReviewVersions(webhook?.conversionReviewVersions, versions),
  ];
}

function validateWarning({ deprecated, deprecationWarning }: DefinitionVersion, index: number): FieldError[] {
  if (deprecationWarning === undefined) return [];
  const problems = deprecated ? warningProblems(deprecationWarning) : ['can only be set for deprecated versions'];
  return problems.map((problem) => fieldError.invalid(`spec.versions[${index}].deprecationWarning`, deprecationWarning, problem));
}

/** Returns why a text cannot be sent as a warning: it becomes a header of each answer. */
function warningProblems(text: string): string[] {
  const hidden = text.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  const bytes = (part: string): number => new TextEncoder().encode(part).length;
  return [
    ...(bytes(text) > 256 ? ['must be <= 256 characters long'] : []),
    ...(text === '' ? ['must not be an empty string'] : []),
    ...(hidden < 0
      ? []
      : [`must only contain printable UTF-8 characters; non-printable character found at index ${bytes(text.slice(0, hidden))}`]),
  ];
}

interface Places {
  readonly version: string;
  readonly schema: string;
  readonly other: string;
}

/** Returns the paths of a version for error messages. For a single version, kube-apiserver reports the paths of v1beta1 CRDs. */
function placesOf(isOnly: boolean, index: number): Places {
  const version = `spec.versions[${index}]`;
  if (isOnly) return { version, schema: 'spec.validation.openAPIV3Schema', other: 'spec' };
  return { version, schema: `${version}.schema.openAPIV3Schema`, other: version };
}

function validateVersion(version: DefinitionVersion, places: Places): FieldError[] {
  const schema = version.schema?.openAPIV3Schema;
  const nameProblems = validateDns1035Label(version.name ?? '');
  return [
    ...(nameProblems.length > 0 ? [fieldError.invalid(`${places.version}.name`, version.name, nameProblems.join(','))] : []),
    ...(schema ? schemaProblems(schema, places.schema) : []),
    ...(schema ? [] : [fieldError.required(`${places.version}.schema.openAPIV3Schema`)]),
    ...(version.additionalPrinterColumns ?? []).flatMap((column, i) =>
      validateColumn(column, `${places.other}.additionalPrinterColumns[${i}]`),
    ),
    ...validateScale(version, places.other),
    ...validateSelectable(version, places.other),
  ];
}

function validateColumn(column: PrinterColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!column.name) errors.push(fieldError.required(`${path}.name`));
  if (!column.type) errors.push(fieldError.required(`${path}.type`, `must be one of ${COLUMN_TYPES.join(',')}`));
  else if (!COLUMN_TYPES.includes(column.type))
    errors.push(fieldError.invalid(`${path}.type`, column.type, `must be one of ${COLUMN_TYPES.join(',')}`));
  if (column.format && !COLUMN_FORMATS.includes(column.format)) {
    errors.push(fieldError.invalid(`${path}.format`, column.format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  }
  if (!column.jsonPath) errors.push(fieldError.required(`${path}.JSONPath`));
  else if (!column.jsonPath.startsWith('.'))
    errors.push(fieldError.invalid(`${path}.JSONPath`, column.jsonPath, 'must be a simple json path starting with .'));
  return errors;
}

function validateScale({ subresources }: DefinitionVersion, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const below = (field: string, value: string | undefined, roots: readonly string[]): FieldError[] => {
    const at = `${path}.subresources.scale.${field}`;
    if (!value) return [fieldError.required(at)];
    if (roots.some((root) => value.startsWith(`.${root}.`))) return [];
    return [fieldError.invalid(at, value, `should be a json path under ${roots.map((root) => `.${root}`).join(' or ')}`)];
  };
  return [
    ...below('specReplicasPath', scale.specReplicasPath, ['spec']),
    ...below('statusReplicasPath', scale.statusReplicasPath, ['status']),
    ...(scale.labelSelectorPath ? below('labelSelectorPath', scale.labelSelectorPath, ['spec', 'status']) : []),
  ];
}

const MAX_SELECTABLE_FIELDS = 8;

function validateSelectable({ selectableFields = [], schema }: DefinitionVersion, path: string): FieldError[] {
  const seen = new Set<string>();
  const errors = selectableFields.flatMap(({ jsonPath }, i) => {
    const field = `${path}.selectableFields[${i}].jsonPath`;
    if (!jsonPath) return [fieldError.required(field)];
    if (seen.has(jsonPath)) return [fieldError.duplicate(field, jsonPath)];
    seen.add(jsonPath);
    if (jsonPath.startsWith('.metadata')) return [fieldError.invalid(field, jsonPath, 'must not point to fields in metadata')];
    if (/\[\d*\]/.test(jsonPath)) return [fieldError.invalid(field, jsonPath, 'is an invalid path: array notation is not allowed')];
    const found = jsonPath
      .split('.')
      .slice(1)
      .reduce<StructuralSchema | undefined>((part, step) => part && memberOf(part, step), schema?.openAPIV3Schema);
    if (!found) return [fieldError.invalid(field, jsonPath, 'is an invalid path: does not refer to a valid field')];
    const { type } = found;
    if (type === 'string' || type === 'boolean' || type === 'integer') return [];
    const detail = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
    return [fieldError.invalid(field, jsonPath, detail)];
  });
  return [
    ...errors,
    ...(seen.size > MAX_SELECTABLE_FIELDS ? [fieldError.tooMany(`${path}.selectableFields`, seen.size, MAX_SELECTABLE_FIELDS)] : []),
  ];
}

function memberOf({ properties, additionalProperties }: StructuralSchema, name: string): StructuralSchema | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
