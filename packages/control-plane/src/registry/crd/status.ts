import { DEFINITIONS, type Definition, type DefinitionCondition, type DefinitionNames, type DefinitionStatus } from './definition.js';
import type { StrategyContext } from '../resource.js';

/**
 * Returns the status that a CRD gets with the write that stores it. Its names are accepted unless another CRD of the group uses them, and a
 * CRD that was established stays established.
 */
export function definitionStatus(
  { spec, metadata }: Definition,
  old: DefinitionStatus | undefined,
  context: StrategyContext,
): DefinitionStatus {
  const others = (context.all(DEFINITIONS.group, DEFINITIONS.plural) as readonly Definition[]).filter(
    (other) => other.spec.group === spec.group && other.metadata.name !== metadata.name,
  );
  const conflict = nameConflict(spec.names, others);
  const isEstablished = conflict === undefined || old?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
  const storage = spec.versions.find((version) => version.storage)?.name;
  const stored = old?.storedVersions ?? [];
  const set = (next: Omit<DefinitionCondition, 'lastTransitionTime'>): DefinitionCondition => condition(old, next, context.now);
  return {
    conditions: [
      set(
        conflict
          ? { type: 'NamesAccepted', status: 'False', ...conflict }
          : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
      ),
      set(
        isEstablished
          ? { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
          : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
      ),
      ...(old?.conditions ?? []).filter(({ type }) => type !== 'NamesAccepted' && type !== 'Established'),
    ],
    acceptedNames: conflict ? (old?.acceptedNames ?? { plural: '', kind: '' }) : spec.names,
    storedVersions: storage === undefined || stored.includes(storage) ? stored : [...stored, storage],
  };
}

function nameConflict(
  names: DefinitionNames,
  others: readonly Definition[],
): { readonly reason: string; readonly message: string } | undefined {
  const taken = new Set(others.flatMap(({ status }) => resourceNames(status?.acceptedNames)));
  const kinds = new Set(others.flatMap(({ status }) => [status?.acceptedNames?.kind, status?.acceptedNames?.listKind]));
  const name = resourceNames(names).find((wanted) => taken.has(wanted));
  if (name !== undefined) return { reason: reasonFor(names, name), message: `${JSON.stringify(name)} is already in use` };
  if (kinds.has(names.kind)) return { reason: 'KindConflict', message: `${JSON.stringify(names.kind)} is already in use` };
  if (kinds.has(names.listKind)) return { reason: 'ListKindConflict', message: `${JSON.stringify(names.listKind)} is already in use` };
  return undefined;
}

function resourceNames(names: DefinitionNames | undefined): readonly string[] {
  return names ? [names.plural, ...(names.singular ? [names.singular] : []), ...(names.shortNames ?? [])] : [];
}

function reasonFor(names: DefinitionNames, name: string): string {
  if (name === names.plural) return 'PluralConflict';
  return name === names.singular ? 'SingularConflict' : 'ShortNamesConflict';
}

function condition(
  old: DefinitionStatus | undefined,
  next: Omit<DefinitionCondition, 'lastTransitionTime'>,
  now: string,
): DefinitionCondition {
  const before = old?.conditions?.find(({ type }) => type === next.type);
  return { ...next, lastTransitionTime: before?.status === next.status ? before.lastTransitionTime : now };
}
