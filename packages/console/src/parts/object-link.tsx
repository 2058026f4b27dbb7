import type { ObjectLink } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';

/** A link to an object's YAML page. Its text is the resource and the name. */
export function ObjectName({ object, text }: { object: ObjectLink; text?: string }): JSX.Element {
  const place = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
  return (
    <a href={formatPage({ page: 'object', object })} title={`${object.resource} ${place}`}>
      {text ?? place}
    </a>
  );
}
