/** A bug that is planted in the hub's code for one build. The text must occur exactly once in the file. */
export interface PlantedBug {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const FLEET = 'packages/hub/src/controllers/fleet';
const ADDON = 'packages/hub/src/controllers/addon';
const ROLLOUT = 'packages/rules/src/rollout';
const REGISTRATION = 'packages/hub/src/controllers/registration';

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'retarget clusters that have arrived without a new admission',
    file: `${ROLLOUT}/observe/observe.ts`,
    find: 'if (hasReported && hasSetOut) return NOT_RECORDED;\n',
    replace: 'if (hasReported && hasSetOut) return retargeted(context, admission, reader);\n',
  },
  {
    name: 'count no cluster in flight against maxConcurrency',
    file: `${ROLLOUT}/admissions/budget.ts`,
    find: 'const room = Math.max(0, budget - taken);',
    replace: 'const room = budget + 0 * taken;',
  },
  {
    name: 'read maxConcurrency as one more',
    file: `${ROLLOUT}/admissions/budget.ts`,
    find: 'const budget = amountOf(strategy.maxConcurrency ?? { count: clustersPerGroup }, sizeOf(groups));',
    replace: 'const budget = 1 + amountOf(strategy.maxConcurrency ?? { count: clustersPerGroup }, sizeOf(groups));',
  },
  {
    name: 'ignore maxFailures',
    file: `${ROLLOUT}/admissions/budget.ts`,
    find: 'const isExceeded = hasTooMany(failures, input, groups, { mandatory, optional });',
    replace: 'const isExceeded = false && hasTooMany(failures, input, groups, { mandatory, optional });',
  },
  {
    name: 'open a group while clusters of another are on their way',
    file: `${ROLLOUT}/admissions/budget.ts`,
    find: 'next: taken > own ? [] : firstInQueue',
    replace: 'next: taken > 1e9 + own ? [] : firstInQueue',
  },
  {
    name: 'skip the soak',
    file: `${ROLLOUT}/phase.ts`,
    find: 'return now >= soakedAt ? succeeded :',
    replace: 'return now >= 0 * soakedAt ? succeeded :',
  },
  {
    name: 'admit while paused',
    file: `${ROLLOUT}/step.ts`,
    find: 'state.rollout?.spec.paused === true ||',
    replace: 'state.rollout?.spec.paused === undefined && false ||',
  },
  {
    name: 'admit every cluster under any strategy',
    file: `${ROLLOUT}/decide.ts`,
    find: "if (input.strategy.type === 'All') {",
    replace: "if (input.strategy.type !== ('none' as string)) {",
  },
  {
    name: 'give clusters the target without an admission',
    file: 'packages/rules/src/effective/target.ts',
    find: 'undefined : (wildcard ?? named ?? assigned);',
    replace: 'undefined : (wildcard ?? named ?? target ?? assigned);',
  },
  {
    name: 'take a wildcard admission of any entry',
    file: 'packages/rules/src/effective/target.ts',
    find: 'isCovered(status, cluster, entry) && isInWildcard(entry, cluster)',
    replace: 'isCovered(status, cluster, entry)',
  },
  {
    name: 'name a cluster twice in the record',
    file: `${ROLLOUT}/record.ts`,
    find: 'elsewhere.filter(({ cluster }) => !decision.inFlight.has(cluster))',
    replace: 'elsewhere.filter(({ cluster }) => cluster !== undefined)',
  },
  {
    name: 'remove without the guard',
    file: `${FLEET}/removal.ts`,
    find: 'return count > Math.max(unguardedCount, of * unguardedShare) ||',
    replace: 'return count > 1e9 * Math.max(unguardedCount, of * unguardedShare) || count < 0 &&',
  },
  {
    name: 'remove without the delay of ten seconds',
    file: `${FLEET}/removal.ts`,
    find: 'afterMs: 10_000',
    replace: 'afterMs: 0',
  },
  {
    name: 'remove add-ons that a person made',
    file: 'packages/rules/src/strategy/members.ts',
    find: '=> !isManual && installedSpec !== undefined;',
    replace: "=> !isManual && installedSpec !== 'x';",
  },
  {
    name: 'overwrite fields that a person has set',
    file: `${FLEET}/follow.ts`,
    find: 'return !others && (installer || wasRestored || clusterAddOn.spec[field] === undefined);',
    replace: 'return others || installer || wasRestored || clusterAddOn.spec[field] === undefined;',
  },
  {
    name: 'send no wake to the fleet for changes of add-ons',
    file: `${FLEET}/wake.ts`,
    find: 'return deepEqual(seen(before), seen(after)) ? [] : [{ name: record.key.name }];',
    replace: 'return deepEqual(seen(before), seen(after)) || (before && after) ? [] : [{ name: record.key.name }];',
  },
  {
    name: 'send no wake to dependents',
    file: `${ADDON}/wake.ts`,
    find: 'return [...own, ...dependents.map((dependent)',
    replace: 'return [...own, ...dependents.slice(99).map((dependent)',
  },
  {
    name: 'send no wake to clusters that are admitted',
    file: `${ADDON}/wake.ts`,
    find: 'return changed.map((cluster) => ({ namespace: cluster',
    replace: 'return changed.slice(99).map((cluster) => ({ namespace: cluster',
  },
  {
    name: 'send no wake to Placements for labels',
    file: 'packages/hub/src/controllers/placement/wake.ts',
    find: 'labels.some((label) => namesLabel(placement, label))',
    replace: 'false && labels.some((label) => namesLabel(placement, label))',
  },
  {
    name: 'write the record as often as it changes',
    file: `${FLEET}/decide.ts`,
    find: 'const SPACING_MS = 1000;',
    replace: 'const SPACING_MS = 0;',
  },
  {
    name: 'report a move as done before the agent has reported',
    file: 'packages/rules/src/works/report.ts',
    find: 'return condition !== undefined && condition.observedGeneration === work.generation;',
    replace: 'return condition !== undefined && work.generation > 0;',
  },
  {
    name: 'report success from intent',
    file: `${ADDON}/steps/progress.ts`,
    find: 'const isDone = isCurrent && (input.worksProgress.isDone || hasSucceeded(input));',
    replace: 'const isDone = isCurrent || hasSucceeded(input);',
  },
  {
    name: 'never finish the version fields',
    file: 'packages/rules/src/versions/bookkeeping.ts',
    find: 'currentVersion: isDone ? desired :',
    replace: 'currentVersion: isDone && false ? desired :',
  },
  {
    name: 'take a missing dependency for satisfied',
    file: 'packages/rules/src/dependencies/evaluate.ts',
    find: 'return isSatisfied(lookups.prerequisite(dependency.name)) ? [] : [dependency];',
    replace: 'return isSatisfied(lookups.prerequisite(dependency.name)) || dependency.name !== "" ? [] : [dependency];',
  },
  {
    name: 'collect content that targets name',
    file: `${FLEET}/content-retention.ts`,
    find: 'const unused = state.contents.filter(({ specHash }) => !refs.has(specHash));',
    replace: "const unused = state.contents.filter(({ specHash }) => specHash !== '');",
  },
  {
    name: 'forget to look again for content to collect',
    file: `${FLEET}/content-retention.ts`,
    find: 'recheckAt: collectableAt(garbage, now),',
    replace: 'recheckAt: undefined as number | undefined & typeof collectableAt,',
  },
  {
    name: 'leave add-ons of a deleted cluster',
    file: 'packages/hub/src/controllers/clusters/steps/cleanup.ts',
    find: 'const actions = due.leftovers.filter(({ isDeleting }) => !isDeleting).map((leftover) => remove(due.kind, leftover));',
    replace: 'const actions = due.leftovers.filter(({ isDeleting }) => isDeleting && false).map((leftover) => remove(due.kind, leftover));',
  },
  {
    name: 'drop a wildcard admission without writing annotations',
    file: `${FLEET}/coverage.ts`,
    find: 'return { steps: plan.steps(), annotations: plan.annotations(), needsCurrentRecord: plan.needsCurrentRecord };',
    replace: 'return { steps: steps.map((step) => ({ ...step })), annotations: plan.annotations().slice(99), needsCurrentRecord: false };',
  },
  {
    name: 'keep add-ons of clusters that are not selected any more',
    file: `${FLEET}/removal.ts`,
    find: 'isDue: dueIn(clusterAddOn) <= 0,',
    replace: 'isDue: dueIn(clusterAddOn) <= -1e12,',
  },
  {
    name: 'write the status although nothing changed',
    file: `${ADDON}/steps/status.ts`,
    find: 'return Object.keys(patch).length === 0 ? undefined : patch;',
    replace: 'return patch;',
  },
  {
    name: 'open the next group before the soak of the last has ended',
    file: `${ROLLOUT}/phase.ts`,
    find: 'return counts.progressing + counts.soaking;',
    replace: 'return counts.progressing;',
  },
  {
    name: 'open a later group first',
    file: `${ROLLOUT}/admissions/budget.ts`,
    find: 'for (const group of candidates) {',
    replace: 'for (const group of [...candidates].reverse()) {',
  },
  {
    name: 'write the record without the resourceVersion that was read',
    file: `${FLEET}/record.ts`,
    find: 'return patchObservedStatus(rollout, addOnRollouts, RECORD_ACTION, patch);',
    replace: 'return { ...patchObservedStatus(rollout, addOnRollouts, RECORD_ACTION, patch), precondition: { uid: rollout.uid } };',
  },
  {
    name: 'keep lastVersion when the version changes',
    file: 'packages/rules/src/versions/bookkeeping.ts',
    find: 'lastVersion: isReal ? old : UNKNOWN_VERSION, installVersion: desired',
    replace: 'lastVersion: isReal ? status.lastVersion : UNKNOWN_VERSION, installVersion: desired',
  },
  {
    name: 'take a dependency that is not available for satisfied',
    file: 'packages/rules/src/dependencies/evaluate.ts',
    find: '!other.isDeleting && other.isAvailable &&',
    replace: '!other.isDeleting &&',
  },
  {
    name: 'select clusters by their claims only',
    file: 'packages/rules/src/scheduling/predicates.ts',
    find: 'labels.matches(cluster.labels) && claims.matches(cluster.claims)',
    replace: '(labels.matches(cluster.labels) || true) && claims.matches(cluster.claims)',
  },
  {
    name: 'let gates hold no cluster',
    file: 'packages/rules/src/policy/gates.ts',
    find: '    held: new Set(holds.flatMap(({ held }) => held)),',
    replace: '    held: new Set(holds.flatMap(() => [])),',
  },
  {
    name: 'retarget clusters of a wildcard admission without asking the gates',
    file: 'packages/rules/src/rollout/observe/observe.ts',
    find: '    return gatedRetarget(retargeted(context, wildcard, reader), gates);',
    replace: '    return gatedRetarget(retargeted(context, wildcard, reader), gates && undefined);',
  },
  {
    name: 'create add-ons that a record without gates admits',
    file: `${FLEET}/install.ts`,
    find: '!deferred.has(cluster) && !isUngated(cluster)',
    replace: '!deferred.has(cluster) && (isUngated(cluster) || true)',
  },
  {
    name: 'let gates hold a way back',
    file: 'packages/rules/src/policy/gates.ts',
    find: '  if (isWayBack) return wayBack(',
    replace: '  if (isWayBack && groups.length === 0) return wayBack(',
  },
  {
    name: 'open a removed gate at once',
    file: 'packages/rules/src/policy/gates.ts',
    find: '    return [loosening(wait, held, toTime(roundUpToSecond(now + LOOSENING_MS)))];',
    replace: '    return [];',
  },
  {
    name: 'count approvals of any revision',
    file: 'packages/rules/src/policy/decisions.ts',
    find: 'one.entry !== entry || one.revision !== revision ||',
    replace: 'one.entry !== entry || one.revision > revision ||',
  },
  {
    name: 'ignore rejections of people',
    file: 'packages/rules/src/policy/gates.ts',
    find: '    ...(rejection ? [rejectionHold(rejection, groups, policies)] : []),',
    replace: '    ...(rejection && now < 0 ? [rejectionHold(rejection, groups, policies)] : []),',
  },
  {
    name: 'roll back although the policy asks to halt',
    file: 'packages/rules/src/rollout/roll-back/roll-back.ts',
    find: "  if (policy?.onFailure?.action !== 'RollBack' || policy.problem !== undefined) return undefined;",
    replace: '  if (!policy?.onFailure || policy.problem !== undefined) return undefined;',
  },
  {
    name: 'roll back from a pinned revision',
    file: 'packages/rules/src/rollout/roll-back/roll-back.ts',
    find: 'entry.rolledBack || isPinned || isPaused || isWayBack)',
    replace: 'entry.rolledBack || (isPinned && isPaused) || isWayBack)',
  },
  {
    name: 'wake no add-on for the template of its own version',
    file: 'packages/hub/src/controllers/addon/wake.ts',
    find: "    : view.byIndex(addOns, 'version', versionKey(template.addOnName, template.version)).map((clusterAddOn) => clusterAddOn.key);",
    replace: "    : view.byIndex(addOns, 'version', versionKey(template.addOnName, '')).map((clusterAddOn) => clusterAddOn.key);",
  },
  {
    name: 'delete objects that the work does not own',
    file: 'packages/agent/src/work/ownership/release.ts',
    find: "  if (!isOwnedBy(ownerReferences, ownerUid)) return { type: 'forget' };",
    replace: "  if (isOwnedBy(ownerReferences, '')) return { type: 'forget' };",
  },
  {
    name: 'forget the objects of a deleted work',
    file: 'packages/agent/src/work/applied/decide.ts',
    find: '  if (left.length === 0) return { stages: [[releaseAppliedWork(appliedWork)]] };',
    replace: '  if (left.length >= 0) return { stages: [[releaseAppliedWork(appliedWork)]] };',
  },
  {
    name: 'finish a deleted work before its objects are removed',
    file: 'packages/agent/src/work/decide.ts',
    find: '  if (appliedWork.isDeleting) return { stages: report };\n  if (state.leftovers',
    replace: '  if (appliedWork.isDeleting) return { stages: [[patchFinalizers(state, [])]] };\n  if (state.leftovers',
  },
  {
    name: 'take every object for as wanted once it was written',
    file: 'packages/agent/src/work/strategy/update.ts',
    find: '  return mayBeAsWanted && matches(',
    replace: '  return mayBeAsWanted || matches(',
  },
  {
    name: 'apply the manifest without its annotations',
    file: 'packages/agent/src/work/strategy/update.ts',
    find: '      annotations: mergeTexts(metadata.annotations, live.metadata.annotations, gone.annotations),',
    replace: '      annotations: mergeTexts({}, live.metadata.annotations, gone.annotations),',
  },
  {
    name: 'evict nothing',
    file: 'packages/agent/src/work/applied/decide.ts',
    find: '  if (isManaged || graceMs >= NEVER_MS) {',
    replace: '  if (isManaged || graceMs > 0) {',
  },
  {
    name: 'share stored content without owning it',
    file: 'packages/hub/src/controllers/addon/steps/own-content.ts',
    find: '  const isOwner = stored.owners.some((one) => one.uid === owner.uid);',
    replace: '  const isOwner = true;',
  },
  {
    name: 'keep rights that the template no longer gives',
    file: `${ADDON}/steps/registration.ts`,
    find: '[...writes, ...surplus.map(deleteBinding), ',
    replace: '[...writes, ...surplus.slice(0, 0).map(deleteBinding), ',
  },
  {
    name: 'give the rights of one cluster to the agents of all clusters',
    file: 'packages/hub/src/registration/permissions.ts',
    find: 'name: addOnClusterGroup(cluster, addOn) };',
    replace: "name: addOnClusterGroup(cluster, addOn).replace(`cluster:${cluster}:`, '') };",
  },
  {
    name: 'leave the rights of a removed add-on',
    file: `${ADDON}/decide.ts`,
    find: '  return [...bindings.map(deleteBinding), ',
    replace: '  return [...bindings.slice(0, 0).map(deleteBinding), ',
  },
  {
    name: 'give a right that no template gives',
    file: `${ADDON}/steps/registration.ts`,
    find: '  const wanted = permissionBindingsOf(registration, {',
    replace:
      "  const wanted = permissionBindingsOf(JSON.parse(JSON.stringify(registration).replace(/-(good|bad|slow)-\\d/g, '-good-9')), {",
  },
  {
    name: 'complete a target that no cluster has',
    file: `${ROLLOUT}/record.ts`,
    find: 'isComplete && decision.counts.succeeded > 0 ? revision',
    replace: 'isComplete ? revision',
  },
  {
    name: 'renew certificates of a machine that held the name before',
    file: `${REGISTRATION}/cluster-rules.ts`,
    find: "  if (credential === 'foreign') return deny(foreignCredential(clusterName));",
    replace: "  if (credential === 'foreign' && clusterName === '') return deny(foreignCredential(clusterName));",
  },
  {
    name: 'give certificates of add-ons to a machine that held the name before',
    file: `${REGISTRATION}/add-on-rules.ts`,
    find: "(facts.credential === 'foreign' ?",
    replace: "(facts.credential === 'foreign' && request.addOnName === '' ?",
  },
  {
    name: 'give the name of a detached cluster to another machine at once',
    file: `${REGISTRATION}/cluster-rules.ts`,
    find: '    if (until !== undefined) return deny(notFree(clusterName, until));',
    replace: '    if (until !== undefined && nowMs < 0) return deny(notFree(clusterName, until));',
  },
  {
    name: 'let another machine join under a name that is in use',
    file: `${REGISTRATION}/cluster-rules.ts`,
    find: '    if (identity?.detached === undefined) return',
    replace: '    if (identity?.detached === undefined && nowMs < 0) return',
  },
  {
    name: 'approve requests of agents of other clusters',
    file: `${REGISTRATION}/add-on-rules.ts`,
    find: '    notAgentOf(clusterName, request) ??',
    replace: "    (clusterName === '' ? notAgentOf(clusterName, request) : undefined) ??",
  },
  {
    name: 'open the next group while an analysis measures',
    file: 'packages/rules/src/policy/analysis-gates.ts',
    find: '        held: waitingIn(isStopped ? groups : groups.slice(i + 1)),',
    replace: '        held: isStopped ? waitingIn(groups) : [],',
  },
  {
    name: 'take a failed analysis for passed',
    file: 'packages/rules/src/policy/analysis.ts',
    find: "  if (failed > failureLimit) return 'Failed';",
    replace: "  if (failed > failureLimit + 1e9) return 'Failed';",
  },
  {
    name: 'count a soak from the start of its stored second',
    file: 'packages/rules/src/rollout/observe/stopwatch.ts',
    find: 'wall - (stored + TIME_ROUNDING_MS)',
    replace: 'wall - stored',
  },
  {
    name: 'remove a second before the delay has passed',
    file: `${FLEET}/removal.ts`,
    find: 'afterMs: 10_000',
    replace: 'afterMs: 9_000',
  },
];
