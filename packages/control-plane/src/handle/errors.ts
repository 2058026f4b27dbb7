import { ApiError, type ApiStatus } from '@outrigger/core';

type Plural = { readonly group: string; readonly plural: string };

/** Returns the name of a resource as messages show it: `deployments.apps`, `configmaps`. */
export function qualified({ group, plural }: Plural): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function detailsOf(resource: Plural, name: string) {
  return {
    details: { ...(name === '' ? {} : { name }), ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural },
  };
}

export function notFound(resource: Plural, name: string): ApiError {
  return new ApiError('NotFound', `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));
}

export function alreadyExists(resource: Plural, name: string): ApiError {
  return new ApiError('AlreadyExists', `${qualified(resource)} "${name}" already exists`, detailsOf(resource, name));
}

export function conflict(resource: Plural, name: string, why: string): ApiError {
  return new ApiError('Conflict', `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`, detailsOf(resource, name));
}

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** The error for a resource that is not served although its group version is. */
export function noSuchResource(): ApiError {
  return new ApiError('NotFound', 'the server could not find the requested resource', { details: {} });
}

export function methodNotAllowed(): ApiError {
  return new ApiError('MethodNotAllowed', 'the server does not allow this method on the requested resource', { details: {} });
}

/** An internal server error with a reason. */
export function internalError(why: string, cause?: unknown): ApiError {
  return new ApiError('InternalError', `Internal error occurred: ${why}`, { cause, details: { causes: [{ message: why }] } });
}

export function expired(message: string): ApiError {
  return new ApiError('Expired', message);
}

/** The error for an expired page of a list, with the token to continue in the newest state. */
export class ExpiredPage extends ApiError {
  readonly #metadata: { readonly continue: string };

  constructor(message: string, token: string) {
    super('Expired', message);
    this.#metadata = { continue: token };
  }

  override toStatus(): ApiStatus {
    // The type ApiStatus declares no fields in metadata, because no other Status has any.
    return { ...super.toStatus(), metadata: this.#metadata as object as ApiStatus['metadata'] };
  }
}

/** Returns the error for a resourceVersion that is not a number. */
export function badResourceVersion(text: string): ApiError {
  const quoted = JSON.stringify(text);
  const why = `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
  return new ApiError('BadRequest', `invalid resource version: ${why}`);
}
