import { describe, expect, it } from 'vitest';
import {
  configName,
  dependencyMessage,
  PROGRESSING_MESSAGES,
  progressionMessage,
  serviceAccountUidIn,
  tokenInfrastructureReadyMessage,
} from './messages.js';

describe('dependencyMessage', () => {
  it.each([
    {
      name: 'a message of the author follows as it is',
      unsatisfied: [{ name: 'a', type: 'Optional' as const, message: 'No tokens' }],
      want: "Optional addon 'a' is not installed or not available. No tokens",
    },
    {
      name: 'without one there is no second sentence',
      unsatisfied: [{ name: 'a' }],
      want: "Required addon 'a' is not installed or not available",
    },
    {
      name: 'required ones come first, then the names',
      unsatisfied: [{ name: 'a', type: 'Optional' as const }, { name: 'z' }, { name: 'b', type: 'Required' as const, message: 'Broken.' }],
      want: "Required addon 'b' is not installed or not available. Broken. Required addon 'z' is not installed or not available. Optional addon 'a' is not installed or not available",
    },
    {
      name: 'a full stop is added only before another sentence',
      unsatisfied: [
        { name: 'a', message: 'first' },
        { name: 'b', message: 'last' },
      ],
      want: "Required addon 'a' is not installed or not available. first. Required addon 'b' is not installed or not available. last",
    },
    {
      name: 'a cycle is printed',
      unsatisfied: [{ name: 'b', message: 'unused', cycle: ['a', 'b', 'a'] }],
      want: "Required addon 'b' is part of a dependency cycle: a -> b -> a.",
    },
  ])('$name', ({ unsatisfied, want }) => {
    expect(dependencyMessage(unsatisfied)).toBe(want);
  });

  it('does not reorder the list it was given', () => {
    const given = Object.freeze([{ name: 'b' }, { name: 'a' }]);
    dependencyMessage(given);
    expect(given.map(({ name }) => name)).toEqual(['b', 'a']);
  });
});

describe('messages of Progressing', () => {
  const { installing, invalidVersion, reconfiguring } = PROGRESSING_MESSAGES;
  it.each([
    [installing('v1'), 'Installing addon version v1.'],
    [installing(''), 'Installing addon.'],
    [invalidVersion('upgrade', 'v3'), 'could not upgrade to invalid version v3'],
    [invalidVersion('rollback', 'v0'), 'could not rollback to invalid version v0'],
    [invalidVersion('install', 'v9'), 'could not install invalid version v9'],
    [reconfiguring([]), 'Applying new content.'],
    [
      reconfiguring([
        configName({ resource: 'addondeploymentconfigs', namespace: 'ns', name: 'a' }),
        configName({ resource: 'proxies', name: 'b' }),
      ]),
      'Applying configuration addondeploymentconfigs/ns/a, proxies/b.',
    ],
    [
      progressionMessage({ selected: 5, done: 1, progressing: 2, failed: 1, skipped: 1 }),
      'selected 5, done 1, progressing 2, failed 1, skipped 1',
    ],
  ])('%s', (text, want) => {
    expect(text).toBe(want);
  });
});

describe('TokenInfrastructureReady', () => {
  it('contains the UID in a form that agents can parse', () => {
    const message = tokenInfrastructureReadyMessage('c1', 'a-agent', '0b7c-11');
    expect(message).toBe('ServiceAccount c1/a-agent (UID: 0b7c-11) is ready');
    expect(serviceAccountUidIn(message)).toBe('0b7c-11');
    expect(serviceAccountUidIn('something else')).toBeUndefined();
  });
});
