import { INSTALLED_SPEC_ANNOTATION } from '@outrigger/api';
import { ApiError, type KubeObject, type ManagedFieldsEntry, deepEqual, isJsonObject } from '@outrigger/core';

/** The fields of a ManagedClusterAddOn whose owners are tracked. `mark` is the installer's annotation. */
const FIELDS = ['installNamespace', 'installVersion', 'configs', 'mark'] as const;
type Field = (typeof FIELDS)[number];
type Operation = 'Apply' | 'Update';

interface Holder {
  readonly manager: string;
  readonly operation: Operation;
  readonly fields: readonly Field[];
}

function valuesOf(object: KubeObject | undefined): Readonly<Record<string, unknown>> {
  const { spec } = (object ?? {}) as { spec?: unknown };
  const mark = object?.metadata.annotations?.[INSTALLED_SPEC_ANNOTATION];
  return { ...(isJsonObject(spec) ? spec : {}), ...(mark === undefined ? {} : { mark }) };
}

function holdersOf(object: KubeObject | undefined): readonly Holder[] {
  return (object?.metadata.managedFields ?? []).map(({ manager = '', operation = 'Update', fieldsV1 = {} }) => {
    const spec = fieldsV1['f:spec'];
    const metadata = fieldsV1['f:metadata'];
    const fields = FIELDS.filter((field) =>
      field === 'mark' ? isJsonObject(metadata) : isJsonObject(spec) && spec[`f:${field}`] !== undefined,
    );
    return { manager, operation: operation, fields };
  });
}

function withHolders(object: KubeObject, holders: readonly Holder[]): KubeObject {
  const managedFields: ManagedFieldsEntry[] = holders
    .filter(({ fields }) => fields.length > 0)
    .map(({ manager, operation, fields }) => {
      const spec = Object.fromEntries(fields.filter((field) => field !== 'mark').map((field) => [`f:${field}`, {}]));
      const metadata = { 'f:annotations': { [`f:${INSTALLED_SPEC_ANNOTATION}`]: {} } };
      return { manager, operation, fieldsV1: { 'f:spec': spec, ...(fields.includes('mark') ? { 'f:metadata': metadata } : {}) } };
    });
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

function without(holders: readonly Holder[], taken: readonly Field[]): readonly Holder[] {
  return holders.map((holder) => ({ ...holder, fields: holder.fields.filter((field) => !taken.includes(field)) }));
}

/** Computes field ownership after an update. The writer becomes the only owner of the fields that the update changes. */
export function ownedByUpdate(old: KubeObject | undefined, next: KubeObject, manager: string): KubeObject {
  const [before, after] = [valuesOf(old), valuesOf(next)];
  const changed = FIELDS.filter((field) => !deepEqual(before[field], after[field]));
  if (changed.length === 0) return next;
  const isOwn = (holder: Holder): boolean => holder.manager === manager && holder.operation === 'Update';
  const holders = holdersOf(old);
  const own = holders.find(isOwn);
  const fields = FIELDS.filter((field) => after[field] !== undefined && (changed.includes(field) || own?.fields.includes(field)));
  return withHolders(next, [
    ...without(
      holders.filter((holder) => !isOwn(holder)),
      changed,
    ),
    { manager, operation: 'Update', fields },
  ]);
}

/**
 * Applies an object with server-side apply. The field manager then owns the fields that the object contains. Fields that only this field
 * manager owned and that the object lacks are removed. Conflicts are rejected unless `force` is set.
 */
export function applied(old: KubeObject, object: KubeObject, manager: string, force: boolean): KubeObject {
  const [live, wanted] = [valuesOf(old), valuesOf(object)];
  const isOwn = (holder: Holder): boolean => holder.manager === manager && holder.operation === 'Apply';
  const holders = holdersOf(old);
  const others = holders.filter((holder) => !isOwn(holder));
  const named = FIELDS.filter((field) => wanted[field] !== undefined);
  const changed = named.filter((field) => !deepEqual(live[field], wanted[field]));
  const conflict = changed.find((field) => others.some(({ fields }) => fields.includes(field)));
  if (conflict && !force) throw new ApiError('Conflict', `conflict over ${conflict}`);
  const dropped = (holders.find(isOwn)?.fields ?? []).filter((field) => !named.includes(field));
  const removed = dropped.filter((field) => !others.some(({ fields }) => fields.includes(field)));
  const { mark: _, ...values } = { ...live, ...wanted };
  const spec = Object.fromEntries(Object.entries(values).filter(([field]) => !removed.includes(field as Field)));
  const metadata = { ...old.metadata, annotations: { ...old.metadata.annotations, ...object.metadata.annotations } };
  return withHolders({ ...old, metadata, spec } as KubeObject, [
    ...without(others, changed),
    { manager, operation: 'Apply', fields: named },
  ]);
}
