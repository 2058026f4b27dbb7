import { selectorMismatches } from '@outrigger/api';
import {
  type KubeObject,
  isJsonObject,
  parseApiVersion,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
} from '@outrigger/core';
import { type CompiledSchema, compileSchema } from '@outrigger/core/schema';
import { schemaOfBuiltin } from '@outrigger/control-plane/builtin-kinds';
import { fieldProblem, withoutRegex } from './field-problem.js';
import { unknownField } from './known-fields.js';
import { unknownKind } from './known-kinds.js';
import { podProblems } from './pods.js';

const compiled = new Map<string, CompiledSchema>();

/** Returns the errors that kube-apiserver would find in an object of a built-in kind, as far as they can be found without a server. */
export function builtinProblems(object: KubeObject): readonly string[] {
  const schema = schemaOf(object);
  if (!schema) return [unknownKind(object)].filter((problem) => problem !== undefined);
  const { value, unknownFields } = schema.pruned(object);
  const problems = [
    ...schema.validate(value).flatMap((error) => fieldProblem(error, object) ?? []),
    ...unknownFields.map((field) => unknownField(field, schema.schema)),
    ...nameProblems(object),
    ...podProblems(object),
    ...selectorMismatches([object], '').map((problem) => problem.replace(/^\[0\]\./, '')),
    ...scheduleProblems(object),
    ...encodingProblems(object),
  ];
  return [...new Set(problems)];
}

function nameProblems({ apiVersion, kind, metadata }: KubeObject): readonly string[] {
  const { name, namespace } = metadata as { readonly name?: unknown; readonly namespace?: unknown };
  return [
    ...invalidNames('metadata.name', name, nameRule(apiVersion, kind)),
    ...invalidNames('metadata.namespace', namespace, validateDns1123Label),
  ];
}

function nameRule(apiVersion: string, kind: string): (name: string) => readonly string[] {
  // Names of roles and bindings may contain any character that is valid in a URL path.
  if (parseApiVersion(apiVersion).group === 'rbac.authorization.k8s.io') return () => [];
  if (kind === 'Service') return validateDns1035Label;
  return kind === 'Namespace' ? validateDns1123Label : validateDns1123Subdomain;
}

function invalidNames(path: string, name: unknown, rule: (name: string) => readonly string[]): readonly string[] {
  if (typeof name !== 'string' || name === '' || name.includes('{{')) return [];
  return rule(name).map((problem) => `${path}: ${JSON.stringify(name)}: ${withoutRegex(problem)}`);
}

const SCHEDULE = /^(@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)|\S+( +\S+){4})$/;

function scheduleProblems(object: KubeObject & { readonly spec?: unknown }): readonly string[] {
  if (object.apiVersion !== 'batch/v1' || object.kind !== 'CronJob' || !isJsonObject(object.spec)) return [];
  const { schedule } = object.spec;
  if (typeof schedule !== 'string' || schedule.includes('{{') || SCHEDULE.test(schedule.trim())) return [];
  return [
    `spec.schedule: ${JSON.stringify(schedule)}: use five fields: minute, hour, day of month, month, day of week, such as 0 22 * * mon-fri`,
  ];
}

/** Returns the values of `data` that are not base64. The same rule applies to `binaryData`. */
function encodingProblems(object: KubeObject & Partial<Record<'data' | 'binaryData', unknown>>): readonly string[] {
  const field = object.kind === 'Secret' ? 'data' : object.kind === 'ConfigMap' ? 'binaryData' : undefined;
  const values = field === undefined ? undefined : object[field];
  if (object.apiVersion !== 'v1' || field === undefined || !isJsonObject(values)) return [];
  const advice = field === 'data' ? 'encode it, or write it under stringData' : 'encode it, or write it under data';
  return Object.entries(values)
    .filter(([, value]) => typeof value === 'string' && !value.includes('{{') && !isBase64(value))
    .map(([key]) => `${field}[${key}]: the value is not base64: ${advice}`);
}

function isBase64(text: string): boolean {
  const packed = text.replace(/[\r\n]/g, '');
  return packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed);
}

function schemaOf({ apiVersion, kind }: KubeObject): CompiledSchema | undefined {
  const key = `${apiVersion}/${kind}`;
  const known = compiled.get(key);
  if (known) return known;
  const structural = schemaOfBuiltin({ ...parseApiVersion(apiVersion), kind });
  if (!structural) return undefined;
  const schema = compileSchema(structural);
  compiled.set(key, schema);
  return schema;
}
