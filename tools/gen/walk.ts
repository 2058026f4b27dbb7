import type { ObjectDefinition, TypeDefinition } from '@outrigger/api';

/** Returns the object type of a type's innermost items, through any lists and maps. */
export function objectOf(type: TypeDefinition): ObjectDefinition | undefined {
  if (type.form.type === 'object') return type.form.object;
  if (type.form.type === 'list') return objectOf(type.form.items);
  return type.form.type === 'map' ? objectOf(type.form.values) : undefined;
}

/** Yields every object type inside another. Each comes before the types that it uses. */
export function* objectsInside(object: ObjectDefinition): Generator<ObjectDefinition> {
  for (const field of Object.values(object.fields)) {
    const inner = objectOf(field.type);
    if (!inner) continue;
    yield inner;
    if (!inner.fromCore) yield* objectsInside(inner);
  }
}
