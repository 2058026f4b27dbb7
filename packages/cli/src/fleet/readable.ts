import { type Kind, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

/** Returns the result of a read, or undefined if the user lacks the permission. All other errors are thrown. */
export async function ifAllowed<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/** Whether the user may list the kind in a namespace, or in all namespaces if `namespace` is undefined. */
export async function mayList(hub: Client, kind: Kind, namespace?: string): Promise<boolean> {
  const where = namespace === undefined ? {} : { namespace };
  return (await ifAllowed(hub.list(kind, { ...where, limit: 1 }).then(() => true))) ?? false;
}

/** Collects the kinds that the user may not read, so that the command can report that its output is incomplete. */
export interface Refusals {
  /** Returns the objects, or an empty list if the user may not read them. */
  read<T>(kind: { readonly plural: string }, objects: Promise<readonly T[]>): Promise<readonly T[]>;
  readonly kinds: readonly string[];
}

export function refusals(): Refusals {
  const kinds = new Set<string>();
  return {
    get kinds() {
      return [...kinds].sort();
    },
    async read<T>(kind: { readonly plural: string }, objects: Promise<readonly T[]>) {
      const found = await ifAllowed(objects);
      if (found === undefined) kinds.add(kind.plural);
      return found ?? [];
    },
  };
}

/** Returns the note that is printed below an incomplete result; empty if the result is complete. */
export function refusedNote(kinds: readonly string[]): string {
  return kinds.length === 0 ? '' : `your rights do not include ${kinds.join(', ')}: the answer leaves them out\n`;
}
