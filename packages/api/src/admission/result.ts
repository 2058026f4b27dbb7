import type { AccessCheck, Allowed, Refused } from './types.js';

export const ALLOWED: Allowed = { allowed: true };

export function invalid(field: string, problem: string): Refused {
  return { allowed: false, reason: 'Invalid', message: `${field}: ${problem}` };
}

export function badRequest(message: string): Refused {
  return { allowed: false, reason: 'BadRequest', message };
}

/** Returns an allowed result. It omits empty fields, so that a result without warnings and required permissions equals `ALLOWED`. */
export function allowedWith(found: { readonly warnings?: readonly string[]; readonly requires?: readonly AccessCheck[] }): Allowed {
  const { warnings = [], requires = [] } = found;
  return { allowed: true, ...(warnings.length > 0 ? { warnings } : {}), ...(requires.length > 0 ? { requires } : {}) };
}
