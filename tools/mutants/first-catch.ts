// Runs seeds until one violates an invariant, and prints it. main.ts builds this program once per planted bug.
import { examine, generate, prepareWorld } from '@outrigger/simulator';

async function search(most: number): Promise<string> {
  const prepared = await prepareWorld();
  for (let seed = 0; seed < most; seed++) {
    const [first] = (await examine(generate(seed), prepared)).violations;
    if (first) return `${first.rule} | ${seed + 1}`;
  }
  return `not caught | ${most}`;
}

console.log(
  await search(Number(process.argv[2])).catch((error: unknown) => `${error instanceof Error ? error.message : String(error)} | 0`),
);
