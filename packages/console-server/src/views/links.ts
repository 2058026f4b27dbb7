import { type Kind } from '@outrigger/core';
import type { ObjectLink } from '@outrigger/console-contract';

export function linkTo({ group, version, plural }: Kind, name: string, namespace?: string): ObjectLink {
  return { group, version, resource: plural, name, ...(namespace === undefined ? {} : { namespace }) };
}
