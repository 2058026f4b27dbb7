/** Requests of the manager since its start by verb, without watches, from its own metrics. */
export async function managerRequests(port: number): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const byVerb: Record<string, number> = {};
  for (const [, verb = '', count = '0'] of text.matchAll(/^outrigger_api_requests_total\{verb="([^"]+)"[^}]*\} (\d+)$/gm)) {
    if (verb !== 'watch') byVerb[verb] = (byVerb[verb] ?? 0) + Number(count);
  }
  return byVerb;
}

export function difference(
  after: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(after)
      .map(([verb, count]) => [verb, count - (before[verb] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}
