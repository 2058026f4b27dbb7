import type { StructuralSchema } from '@outrigger/core/schema';

/**
 * A definition of a type, from which everything else is generated: the schema in the CustomResourceDefinition, the TypeScript type (written
 * by `tools/gen`), the validator and the reference pages.
 */
export interface TypeDefinition {
  /** A structural schema without a description, because the field that uses the type has the description. */
  readonly schema: StructuralSchema;
  readonly form: TypeForm;
}

/** The form of the type in TypeScript. */
export type TypeForm =
  | { readonly type: 'text'; readonly text: string }
  /** A type that the core package exports under this name. */
  | { readonly type: 'core'; readonly name: string }
  | { readonly type: 'object'; readonly object: ObjectDefinition }
  | { readonly type: 'list'; readonly items: TypeDefinition }
  | { readonly type: 'map'; readonly values: TypeDefinition };

export interface ObjectDefinition {
  /** The interface's name, which refers to one type in the whole package. */
  readonly name: string;
  readonly description: string;
  /** Whether core exports the interface. The generator then imports it instead of writing it. */
  readonly fromCore?: boolean;
  readonly fields: Readonly<Record<string, FieldDefinition>>;
}

export interface FieldDefinition {
  /** The documentation for users: the meaning of the field, and the behavior if it is not set. */
  readonly description: string;
  readonly required: boolean;
  readonly type: TypeDefinition;
}
