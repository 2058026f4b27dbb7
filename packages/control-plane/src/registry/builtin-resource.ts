/** A resource as a real server's discovery describes it. The data is generated. */
export interface BuiltinResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources: Readonly<Record<string, BuiltinSubresource>>;
}

export interface BuiltinSubresource {
  readonly kind: string;
  readonly verbs: readonly string[];
  /** The group and version of the kind, if they differ from the parent's. */
  readonly group?: string;
  readonly version?: string;
}
