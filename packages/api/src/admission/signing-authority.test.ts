import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TemplateRegistration } from '../generated/addon.js';
import { SETTINGS, hubWith, template, writing } from './fixtures.js';
import { review } from './review.js';

const NAME = fc.stringMatching(/^[a-z]{1,4}$/);
const registration: fc.Arbitrary<TemplateRegistration> = fc.oneof(
  fc.constant<TemplateRegistration>({ type: 'KubeClient', kubeClient: {} }),
  fc.record({ name: NAME, namespace: fc.option(NAME, { nil: undefined }) }).map(({ name, namespace }): TemplateRegistration => {
    const signingCA = { name, ...(namespace === undefined ? {} : { namespace }) };
    return { type: 'CustomSigner', customSigner: { signerName: 'example.com/s', signingCA } };
  }),
);
const registrations = fc.array(registration, { maxLength: 5 });

const secretsOf = (all: readonly TemplateRegistration[]): string[] =>
  all.flatMap(({ customSigner }) => {
    if (!customSigner) return [];
    const { namespace = SETTINGS.managerNamespace, name } = customSigner.signingCA;
    return [`${namespace}/${name}`];
  });

/** Returns the Secrets that the author must be allowed to get. */
function asked(now: readonly TemplateRegistration[], before?: readonly TemplateRegistration[]): readonly string[] {
  const [object, old] = [now, before].map((registration) => registration && template('t', 'a', undefined, { registration }));
  const result = review(writing(object as never, old), hubWith({}), SETTINGS);
  if (!result.allowed) throw new Error(result.message);
  return (result.requires ?? [])
    .filter(({ attributes }) => attributes.verb === 'get' && attributes.resource === 'secrets')
    .map(({ attributes }) => `${attributes.namespace}/${attributes.name}`);
}

describe('AT-10 authorities that a template signs with', () => {
  it('each must be readable by the author, in whatever entry of the template it is', () => {
    fc.assert(
      fc.property(registrations, (all) => {
        expect([...new Set(asked(all))].sort()).toEqual([...new Set(secretsOf(all))].sort());
      }),
    );
  });

  it('an update checks each added signer', () => {
    fc.assert(
      fc.property(registrations, registrations, (before, now) => {
        const known = new Set(secretsOf(before));
        const added = secretsOf(now).filter((secret) => !known.has(secret));
        expect(asked(now, before)).toEqual(expect.arrayContaining(added));
      }),
    );
  });

  it('an update that does not change the signers checks none', () => {
    fc.assert(
      fc.property(registrations, (all) => {
        expect(asked(all, all)).toEqual([]);
      }),
    );
  });
});
