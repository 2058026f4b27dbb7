import fc from 'fast-check';
import { createRuleCompiler } from '@outrigger/core/cel';
import { describe, expect, it } from 'vitest';
import { parseCron } from '../calendar/cron.js';
import type { PolicyAnalysis, PolicyWindow, RolloutPolicy } from '../generated/outrigger.js';
import { createValidator } from '../validation.js';
import { brief, hubWith, SETTINGS, writing } from './fixtures.js';
import { review } from './review.js';

function policy(spec: Partial<RolloutPolicy['spec']>): RolloutPolicy {
  return {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'p' },
    spec: { addOns: { names: ['metrics'] }, ...spec },
  };
}
const windows = (window: Partial<PolicyWindow>): RolloutPolicy =>
  policy({ windows: [{ name: 'w', effect: 'Allow', schedule: '0 0 * * *', duration: '1h', ...window }] });
const analysis = (one: Partial<PolicyAnalysis>): RolloutPolicy =>
  policy({ analysis: [{ name: 'a', provider: 'prometheus', query: 'up', interval: '1m', count: 1, success: 'result > 0.0', ...one }] });

const settings = { ...SETTINGS, analysisProviders: ['prometheus'], notificationUrls: ['chat'] };
const judge = (object: RolloutPolicy, old?: RolloutPolicy): string => brief(review(writing(object, old), hubWith({}), settings));

const WRONG: readonly (readonly [string, RolloutPolicy, string])[] = [
  ['a schedule that never fires', windows({ schedule: '0 0 30 2 *' }), 'spec.windows[0].schedule: "0 0 30 2 *" never fires'],
  ['a degenerate range of days', windows({ schedule: '0 0 31-31 4-4 *' }), 'spec.windows[0].schedule: "0 0 31-31 4-4 *" never fires'],
  ['an hour beyond the day', windows({ schedule: '0 24 * * *' }), 'spec.windows[0].schedule: hour "24"'],
  [
    'AT-49 a zone that the cluster itself writes',
    windows({ timeZoneFrom: { annotation: 'agent.open-cluster-management.io/zone' } }),
    'spec.windows[0].timeZoneFrom.annotation: agents write annotations with this prefix',
  ],
  ['an unknown zone', windows({ timeZone: 'Europe/Atlantis' }), 'spec.windows[0].timeZone: "Europe/Atlantis" is no IANA time zone'],
  ['CEL that does not compile', analysis({ success: 'result <' }), 'spec.analysis[0].success: '],
  ['a variable CEL does not know', analysis({ success: 'results < 1.0' }), 'spec.analysis[0].success: '],
  ['CEL that gives a number', analysis({ success: 'result + 1.0' }), 'spec.analysis[0].success: '],
  ['an unknown variable in a query', analysis({ query: 'up{a="{{ADD_ON}}"}' }), 'spec.analysis[0].query: unknown variable {{ADD_ON}}'],
  ['an open brace in a query', analysis({ query: 'up{a="{{ADDON"}' }), 'spec.analysis[0].query: "{{" is not closed'],
  ['an unknown provider', analysis({ provider: 'graphite' }), 'no metrics provider "graphite"; it has prometheus'],
  [
    'an unknown address',
    policy({ notify: [{ url: 'pager' }] }),
    'spec.notify[0].url: the manager has no address "pager" for notifications; it has chat',
  ],
];

describe('a RolloutPolicy with a mistake that the schema cannot see', () => {
  it.each(WRONG)('%s is refused with its path', (_, object, want) => {
    expect(judge(object)).toContain(want);
  });

  it.each(WRONG)('%s that is already stored does not prevent other edits', (_, object) => {
    const edited = { ...object, spec: { ...object.spec, addOns: { names: ['other'] } } };
    expect(judge(edited, object)).toBe('ok');
  });

  it('names all mistakes of a policy', () => {
    const both = policy({
      windows: [...(windows({ timeZone: 'Nowhere' }).spec.windows ?? []), ...(windows({ schedule: '0 0 31 6 *' }).spec.windows ?? [])],
    });
    expect(judge(both)).toMatch(/spec\.windows\[0\]\.timeZone: .*spec\.windows\[1\]\.schedule: /);
  });

  it.each([
    ['doubles', 'result < 0.05'],
    ['an integer', 'result < 1'],
    ['an expression that fails for some values', '1.0 / result > 2.0 && [1][int(result)] == 1'],
  ])('takes CEL that compares with %s', (_, success) => {
    expect(judge(analysis({ success }))).toBe('ok');
  });

  it('takes an automatic rollback, a known provider and a known address', () => {
    expect(judge(policy({ onFailure: { action: 'RollBack', maxConcurrency: '20%' }, notify: [{ url: 'chat' }] }))).toBe('ok');
    expect(judge(analysis({ query: 'up{add_on="{{ADDON}}",revision="{{REVISION}}",entry="{{ENTRY}}"}' }))).toBe('ok');
  });

  it('warns about starts that overlap', () => {
    const result = review(writing(windows({ schedule: '0 */4 * * *', duration: '5h' })), hubWith({}), settings);
    expect(result).toMatchObject({ allowed: true, warnings: [expect.stringContaining('overlapping windows unite')] });
    expect(judge(windows({ schedule: '0 */4 * * *', duration: '4h' }))).toBe('ok');
  });

  it('does not check providers if they are not known', () => {
    expect(brief(review(writing(analysis({ provider: 'graphite' })), hubWith({}), SETTINGS))).toBe('ok');
  });
});

describe('the schema, if no webhook runs', () => {
  const validator = createValidator(createRuleCompiler());
  const month = fc.constantFrom('2', 'feb', '4', 'jun', '9', '11', '12', '*', '1-3', '02');
  const day = fc.constantFrom('29', '30', '31', '1', '30-31', '*', '31-31', '*/31');
  const joined = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.array(item, { minLength: 1, maxLength: 3 }).map((all) => all.join(','));

  it('never refuses a schedule that fires, and refuses the plain ones that never do', () => {
    let refused = 0;
    fc.assert(
      fc.property(joined(day), joined(month), fc.constantFrom('*', '*/2', '1', 'mon-fri'), (days, months, weekdays) => {
        const schedule = `0 0 ${days} ${months} ${weekdays}`;
        const fires = !('problem' in parseCron(schedule));
        const isRefused = (validator.check(windows({ schedule }))?.errors.length ?? 0) > 0;
        if (isRefused) refused++;
        expect(isRefused).toBe(!fires);
      }),
      { numRuns: 500 },
    );
    expect(refused).toBeGreaterThan(0);
  });
});
