import type { StructuralSchema, ValidationRule } from '@outrigger/core/schema';
import type { FieldDefinition, ObjectDefinition } from './types.js';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date' | 'boolean';
  readonly jsonPath: string;
  readonly description?: string;
  /** A column with a priority above 0 is shown only in wide output. */
  readonly priority?: number;
}

/** One served version of a kind. */
export interface KindVersion {
  readonly version: string;
  /**
   * The name of the TypeScript type, which is unique in the package. The name for the second version of a kind therefore ends with the
   * version: `ManagedClusterAddOnV1beta1`.
   */
  readonly typeName: string;
  readonly description: string;
  readonly spec?: FieldDefinition;
  readonly status?: FieldDefinition;
  /** Rules for the whole object. Only these rules may read `metadata.name`. */
  readonly rules?: readonly ValidationRule[];
  readonly columns?: readonly PrinterColumn[];
}

/** The definition of a kind, from which its CRD is generated. */
export interface KindDefinition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly namespaced: boolean;
  /** The versions of the kind. The first one is the stored version. */
  readonly versions: readonly [KindVersion, ...KindVersion[]];
  /** Whether the versions differ in more than their names. If so, only the stored version can be served without a conversion webhook. */
  readonly converted?: boolean;
}

export const AGE: PrinterColumn = { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** Returns the schema of the whole object. */
export function rootSchema(version: KindVersion): StructuralSchema {
  const { spec, status, rules = [] } = version;
  return {
    type: 'object',
    description: version.description,
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of this representation of the object.' },
      kind: { type: 'string', description: 'The kind of the object.' },
      metadata: { type: 'object' },
      ...(spec ? { spec: { description: spec.description, ...spec.type.schema } } : {}),
      ...(status ? { status: { description: status.description, ...status.type.schema } } : {}),
    },
    ...(spec?.required ? { required: ['spec'] } : {}),
    ...(rules.length > 0 ? { 'x-kubernetes-validations': rules } : {}),
  };
}

/** Returns the interface of the object, as a definition for the generators. */
export function rootObject(version: KindVersion): ObjectDefinition {
  return {
    name: version.typeName,
    description: version.description,
    fields: { ...(version.spec ? { spec: version.spec } : {}), ...(version.status ? { status: version.status } : {}) },
  };
}
