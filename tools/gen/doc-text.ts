import type { FieldDefinition, TypeDefinition } from '@outrigger/api';

/** Returns the type of a field in one or two words. */
export function typeName(type: TypeDefinition): string {
  const { form, schema } = type;
  switch (form.type) {
    case 'list':
      return `${typeName(form.items)}[]`;
    case 'map':
      return `map of ${typeName(form.values)}`;
    case 'object':
      return form.object.fromCore ? form.object.name : 'object';
    case 'core':
      return 'object';
    case 'text':
      if (schema['x-kubernetes-int-or-string']) return 'integer or string';
      return schema.format === 'date-time' ? 'time' : (schema.type ?? form.text);
  }
}

/** Returns the constraints on a value other than its type. */
export function constraints({ required, type }: FieldDefinition): string {
  const { schema } = type;
  const found = [
    ...(required ? ['required'] : []),
    ...(schema.enum ? [schema.enum.map((value) => `\`${value === '' ? '""' : String(value)}\``).join(', ')] : []),
    ...(schema.default === undefined ? [] : [`default \`${JSON.stringify(schema.default)}\``]),
    ...range(schema.minimum, schema.maximum, ''),
    ...(schema.minLength === 1 && schema.maxLength === undefined
      ? ['not empty']
      : range(schema.minLength, schema.maxLength, ' characters')),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...(schema.pattern ? [`\`${schema.pattern}\``] : []),
    ...(schema['x-kubernetes-list-map-keys'] ? [`unique by ${schema['x-kubernetes-list-map-keys'].join(', ')}`] : []),
  ];
  return found.join('; ').replaceAll('|', '\\|');
}

function range(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${unit}`];
  if (min !== undefined) return [`at least ${min}${unit}`];
  return max === undefined ? [] : [`at most ${max}${unit}`];
}
