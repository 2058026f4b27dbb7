import type { ObjectDefinition, TypeDefinition } from '@outrigger/api';

/** Returns the object type inside any nesting of lists and maps; undefined if the innermost items are not objects. */
export function objectOf(type: TypeDefinition): ObjectDefinition | undefined {
  if (type.form.type === 'object') return type.form.object;
  if (type.form.type === 'list') return objectOf(type.form.items);
  return type.form.type === 'map' ? objectOf(type.form.values) : undefined;
}

/** Yields every object type inside the given one, each before the types inside it. */
export function* objectsInside(object: ObjectDefinition): Generator<ObjectDefinition> {
  for (const field of Object.values(object.fields)) {
    const inner = objectOf(field.type);
    if (!inner) continue;
    yield inner;
    if (!inner.fromCore) yield* objectsInside(inner);
  }
}
