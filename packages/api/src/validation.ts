import { apiVersionOf, isJsonObject, type KubeObject } from '@outrigger/core';
import {
  type CompiledSchema,
  compileSchema,
  type FieldError,
  fieldError,
  malformedMeta,
  type Pruned,
  type RuleCompiler,
  type StructuralSchema,
  validateObjectMeta,
} from '@outrigger/core/schema';
import { KIND_DEFINITIONS } from './definitions.js';
import { rootSchema } from './schema/kind.js';

export interface Validated {
  /** The object as the API server would store it, with defaults filled in and undeclared fields dropped. */
  readonly object: KubeObject;
  /** The errors that an API server would report; empty if it would accept the object. */
  readonly errors: readonly FieldError[];
  /** The undeclared fields that were dropped. They are usually typos. */
  readonly unknownFields: readonly string[];
}

/** Checks objects of our kinds as an API server with our CustomResourceDefinitions does. */
export interface Validator {
  /**
   * Checks an object. If `old` is given, the write is an update, and errors in unchanged values are tolerated. Returns undefined for kinds
   * of other projects.
   */
  check(object: KubeObject, old?: KubeObject): Validated | undefined;
  /** Returns the schema of the object's kind, or undefined for a kind that is not ours. */
  schemaOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): StructuralSchema | undefined;
}

interface KnownKind {
  readonly namespaced: boolean;
  readonly schema: () => CompiledSchema;
}

/** Creates a validator. Without `rules`, the expressions in the schemas are ignored. Schemas are compiled on first use. */
export function createValidator(rules?: RuleCompiler): Validator {
  const kinds = knownKinds(rules);
  return {
    check(object, old) {
      const known = kinds.get(`${object.apiVersion}/${object.kind}`);
      if (!known) return undefined;
      const schema = known.schema();
      const asStored = (given: KubeObject): Pruned<KubeObject> => schema.pruned(schema.defaulted(given));
      const { value, unknownFields } = asStored(object);
      return {
        object: value,
        unknownFields,
        errors: [...metaErrors(value, known.namespaced), ...schema.validate(value, old && asStored(old).value)],
      };
    },
    schemaOf: ({ apiVersion, kind }) => kinds.get(`${apiVersion}/${kind}`)?.schema().schema,
  };
}

function knownKinds(rules: RuleCompiler | undefined): ReadonlyMap<string, KnownKind> {
  return new Map(
    KIND_DEFINITIONS.flatMap(({ group, kind, namespaced, versions }) =>
      versions.map((version): [string, KnownKind] => {
        let compiled: CompiledSchema | undefined;
        const schema = (): CompiledSchema => {
          compiled ??= compileSchema(rootSchema(version), rules ? { rules } : {});
          return compiled;
        };
        return [`${apiVersionOf({ group, version: version.version })}/${kind}`, { namespaced, schema }];
      }),
    ),
  );
}

function metaErrors({ metadata }: KubeObject, namespaced: boolean): readonly FieldError[] {
  const malformed = malformedMeta(metadata);
  if (malformed !== undefined || !isJsonObject(metadata))
    return [fieldError.invalid('metadata', metadata, malformed ?? 'must be an object')];
  return validateObjectMeta(metadata, { namespaced });
}
