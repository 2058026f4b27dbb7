import type { CostPool } from '../cost.js';
import type { Json } from '../json.js';

/** One `x-kubernetes-validations` entry. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** An OpenAPI v3 schema as used in a CustomResourceDefinition (structural). */
export interface StructuralSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: Json;
  readonly enum?: readonly Json[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: boolean | StructuralSchema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: StructuralSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  /** Set only on built-in kinds: the rules by which a strategic merge patch treats a list or map, and the key that identifies items. */
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  /** Set only on lists of built-in kinds: the values that an apply takes for the keys that an item omits. They are not stored. */
  readonly 'x-outrigger-key-defaults'?: Readonly<Record<string, unknown>>;
}

/** An error in one field, with the Kubernetes API server's message (`spec.configs[2].name: Required value`). */
export interface FieldError {
  readonly type:
    | 'Required'
    | 'Invalid'
    | 'Unsupported'
    | 'Duplicate'
    | 'Forbidden'
    | 'TooLong'
    | 'TooMany'
    | 'TypeInvalid'
    | 'NotFound'
    | 'InternalError';
  /** The path of the field: `spec.configs[2].name`, `metadata.labels[a.b/c]`; `<nil>` for the root. */
  readonly field: string;
  readonly value?: unknown;
  readonly detail: string;
}

/**
 * Compiles one CEL rule to a function. `@outrigger/core/cel` implements this interface. Callers pass the implementation to the schema
 * compiler, so that no expression engine is loaded for schemas without rules. Throws if the rule does not compile against the schema.
 */
export interface RuleCompiler {
  compile(rule: ValidationRule, schema: StructuralSchema, options: { readonly isRoot: boolean }): CompiledRule;
}

export interface CompiledRule {
  /** Whether the rule is a transition rule. A transition rule is skipped if there is no old value (unless `optionalOldSelf` is set). */
  readonly usesOldSelf: boolean;
  /**
   * Returns undefined if the rule is satisfied, and otherwise the error message. Throws if the evaluation itself fails or exceeds its
   * budget or the pool.
   */
  evaluate(self: unknown, oldSelf: unknown, pool: CostPool): string | undefined;
}
