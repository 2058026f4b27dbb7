import type { InstallConfigReference, RolloutEntry, RolloutTarget } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { TargetHistory } from '@outrigger/rules/revisions';
import { progressionReferences } from './progressions.js';

/** `resource/name@hash` */
const target = (revision: number, ...refs: readonly string[]): RolloutTarget => ({
  revision,
  version: '',
  digest: `d${revision}`,
  renderer: 1,
  targetedAt: '2026-01-01T00:00:00Z',
  configs: refs.map((text) => {
    const [resource = '', name = '', specHash = ''] = text.split(/[/@]/);
    return { group: 'g', resource, namespace: 'ns', name, specHash };
  }),
});

/** Formats each reference as `resource: desired applied good`. */
function brief(references: readonly InstallConfigReference[]): readonly string[] {
  const text = (config: InstallConfigReference['desiredConfig']): string => (config ? `${config.name}@${config.specHash ?? ''}` : '-');
  return references.map(
    ({ resource, desiredConfig, lastAppliedConfig, lastKnownGoodConfig }) =>
      `${resource}: ${text(desiredConfig)} ${text(lastAppliedConfig)} ${text(lastKnownGoodConfig)}`,
  );
}

/** The references after these steps. Each step is a target and whether that target has completed. */
function after(...steps: readonly (readonly [RolloutTarget, boolean])[]): readonly string[] {
  const history = new TargetHistory(steps.map(([one]) => one));
  let references: readonly InstallConfigReference[] = [];
  for (const [{ revision }, isComplete] of steps) {
    const entry: RolloutEntry = {
      name: 'ns/p',
      targetRevision: revision,
      selected: 2,
      ...(isComplete ? { completedRevision: revision } : {}),
    };
    references = progressionReferences({ entry }, history, { namespace: 'ns', name: 'p', configReferences: references });
  }
  return brief(references);
}

describe('the references of an install progression', () => {
  const done = [target(1, 'a/one@1', 'b/two@1'), true] as const;
  it.each([
    { name: 'new ones have nothing applied', steps: [[target(1, 'a/one@1'), false]] as const, want: ['a: one@1 - -'] },
    { name: 'are filled when the rollout has succeeded', steps: [done], want: ['a: one@1 one@1 one@1', 'b: two@1 two@1 two@1'] },
    {
      name: 'keep lastKnownGood while the same objects change',
      steps: [done, [target(2, 'a/one@2', 'b/two@1'), false]] as const,
      want: ['a: one@2 one@1 one@1', 'b: two@1 two@1 two@1'],
    },
    {
      name: 'are all emptied when one names another object',
      steps: [done, [target(2, 'a/other@9', 'b/two@1'), false]] as const,
      want: ['a: other@9 - -', 'b: two@1 - -'],
    },
    {
      name: 'and filled again when that has succeeded',
      steps: [done, [target(2, 'a/other@9', 'b/two@1'), false], [target(2, 'a/other@9', 'b/two@1'), true]] as const,
      want: ['a: other@9 other@9 other@9', 'b: two@1 two@1 two@1'],
    },
    {
      name: 'are emptied when one is added',
      steps: [done, [target(2, 'a/one@1', 'b/two@1', 'c/three@1'), false]] as const,
      want: ['a: one@1 - -', 'b: two@1 - -', 'c: three@1 - -'],
    },
    { name: 'keep the rest when one is removed', steps: [done, [target(2, 'a/one@1'), false]] as const, want: ['a: one@1 one@1 one@1'] },
    {
      name: 'are distinguished within one kind',
      steps: [
        [target(1, 'a/x@1', 'a/y@2'), true],
        [target(2, 'a/x@3', 'a/y@2'), false],
      ] as const,
      want: ['a: x@3 x@1 x@1', 'a: y@2 y@2 y@2'],
    },
  ])('$name', ({ steps, want }) => expect(after(...steps)).toEqual(want));
});
