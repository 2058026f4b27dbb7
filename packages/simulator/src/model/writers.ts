import type { LogEntry, Violation } from './log.js';

interface FieldsOfWriter {
  readonly manager?: string;
  readonly fieldsV1?: { readonly 'f:status'?: { readonly 'f:conditions'?: Readonly<Record<string, object>> } };
}

/** addons.md §9: one writer per condition type, by the field managers that the API server has recorded for the conditions of an object. */
export function judgeWriters({ kind, id, after, index }: LogEntry): readonly Violation[] {
  const { managedFields = [] } = (after?.metadata ?? {}) as { readonly managedFields?: readonly FieldsOfWriter[] };
  const writers = new Map<string, string>();
  return managedFields.flatMap(({ manager = '', fieldsV1 }) =>
    Object.entries(fieldsV1?.['f:status']?.['f:conditions'] ?? {}).flatMap(([condition, fields]) => {
      // Skip the key `.` in managedFields, which means the list itself. The field manager that created the list owns it.
      if (!condition.startsWith('k:') || !('f:status' in fields)) return [];
      const other = writers.get(condition) ?? manager;
      writers.set(condition, manager);
      return other === manager
        ? []
        : [{ rule: 'one writer', message: `${condition.slice(2)} of ${kind} ${id} is written by ${other} and by ${manager}`, index }];
    }),
  );
}
