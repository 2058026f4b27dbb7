import type { KubeObject } from './meta.js';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The writer, as authenticated by the API server. Access reviews get it unchanged, including `extra`. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The part of an AdmissionReview's request that admission rules use. A server in the same process passes it unchanged. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** The kind of the objects. It differs from the resource's kind for subresources such as `scale`. */
  readonly kind: GroupVersionKind;
  readonly subResource?: string;
  /** The namespace of the object; for a Namespace object, its own name. */
  readonly namespace?: string;
  readonly name?: string;
  readonly userInfo: UserInfo;
  /** The object in the version of the request; absent on a delete. */
  readonly object?: KubeObject;
  /** The object before the write, in the version of the request; absent on a create. */
  readonly oldObject?: KubeObject;
}

/**
 * The result of an admission rule. If `object` is absent, the object is unchanged. A rule rejects the request by throwing an `ApiError`.
 */
export interface AdmissionVerdict {
  readonly object?: KubeObject;
  /** Warnings that are sent to the caller as `Warning` headers. */
  readonly warnings?: readonly string[];
}

/** Admission rules that run on every write: `mutate` before schema validation, and `validate` after it. */
export interface Admission<R extends AdmissionRequest = AdmissionRequest> {
  readonly mutate?: (request: R) => AdmissionVerdict | Promise<AdmissionVerdict>;
  readonly validate?: (request: R) => AdmissionVerdict | Promise<AdmissionVerdict>;
}
