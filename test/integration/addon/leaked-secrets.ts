import type { Client } from '@outrigger/kube';

/** The tests put this string into Secrets only, so it must occur nowhere else. */
export const CANARY = 'canary-Zq7Xw2';

/** Matches the canary as plain text and as base64, at each of the three offsets. */
const SHAPES: RegExp = new RegExp(
  [CANARY, ...[0, 1, 2].map((offset) => btoa(`${'x'.repeat(offset)}${CANARY}`).slice(offset === 0 ? 0 : 4, -4))]
    .map((shape) => shape.replace(/[+/]/g, String.raw`\$&`))
    .join('|'),
);

/** Returns the text around the first canary found, or undefined if there is none. */
export function canaryIn(text: string): string | undefined {
  const at = text.search(SHAPES);
  return at < 0 ? undefined : text.slice(Math.max(0, at - 100), at + 100);
}

/** Returns every object on a server as text, except objects of the given kinds. */
export async function everythingBut(server: Client, ...plurals: string[]): Promise<string> {
  const kinds = (await server.discovery.resources()).filter(({ plural, verbs }) => verbs.includes('list') && !plurals.includes(plural));
  const texts: string[] = [];
  for (const kind of kinds) for await (const object of server.listAll(kind)) texts.push(JSON.stringify(object));
  return texts.join('\n');
}
