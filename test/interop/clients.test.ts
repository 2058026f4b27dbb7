import { beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded, startKube, type TestServer } from '../harness/index.js';
import { goProgram, outputOf } from './go-program.js';
import { KNOWN_DIFFERENCES } from './known-differences.js';

type Facts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const CHECKS = 21;

/** Runs the program against a new server, because on a second run its namespaces would already exist. */
async function factsOf(
  start: () => Promise<TestServer & { stop(): Promise<void> }>,
  env: Readonly<Record<string, string>>,
): Promise<Facts> {
  const server = await start();
  try {
    return JSON.parse(await outputOf(await goProgram('clients'), [server.kubeconfigPath], env)) as Facts;
  } finally {
    await server.stop();
  }
}

function flat(facts: Facts): Map<string, unknown> {
  const entries = Object.entries(facts).flatMap(([check, found]) =>
    Object.entries(found).map(([fact, value]): [string, unknown] => [`${check}/${fact}`, value]),
  );
  return new Map(entries);
}

describe.each([
  { name: 'that stream their lists', env: { KUBE_FEATURE_WatchListClient: 'true' } },
  { name: 'that list and then watch', env: { KUBE_FEATURE_WatchListClient: 'false' } },
])('client-go and controller-runtime programs $name', ({ env }) => {
  let real: Facts;
  let embedded: Facts;
  beforeAll(async () => {
    await goProgram('clients');
    real = await factsOf(() => startKube({ controllerManager: true }), env);
    embedded = await factsOf(startEmbedded, env);
  });

  it('get through every check on the real server', () => {
    expect(Object.keys(real)).toHaveLength(CHECKS);
    expect([...flat(real).keys()].filter((fact) => /\/(failed|namespace)$/.test(fact))).toEqual([]);
  });

  it('get the same answers from the embedded server', () => {
    const [wanted, found] = [flat(real), flat(embedded)];
    const facts = [...new Set([...wanted.keys(), ...found.keys()])].filter((fact) => !Object.hasOwn(KNOWN_DIFFERENCES, fact));
    const pick = (from: Map<string, unknown>) => Object.fromEntries(facts.map((fact) => [fact, from.get(fact)]));
    expect(pick(found)).toEqual(pick(wanted));
  });

  it('still need every known difference', () => {
    const [wanted, found] = [flat(real), flat(embedded)];
    const differs = (fact: string): boolean => JSON.stringify(wanted.get(fact)) !== JSON.stringify(found.get(fact));
    expect(Object.keys(KNOWN_DIFFERENCES).filter((fact) => !differs(fact))).toEqual([]);
  });
});
