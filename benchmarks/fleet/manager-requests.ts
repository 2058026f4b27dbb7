/**
 * Counts the requests that the manager has sent since it started, by verb and resource (`patch manifestworks`), excluding watches. The
 * counts come from the manager's metrics.
 */
export async function managerRequests(port: number): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const found: Record<string, number> = {};
  const line = /^outrigger_api_requests_total\{verb="([^"]+)",resource="([^"]*)"[^}]*\} (\d+)$/gm;
  for (const [, verb = '', resource = '', count = '0'] of text.matchAll(line)) {
    if (verb !== 'watch') found[`${verb} ${resource}`] = (found[`${verb} ${resource}`] ?? 0) + Number(count);
  }
  return found;
}

/** Counts the passes of the manager since it started, by controller. */
export async function managerPasses(port: number): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const found: Record<string, number> = {};
  for (const [, controller = '', count = '0'] of text.matchAll(/^outrigger_reconcile_total\{controller="([^"]+)"[^}]*\} (\d+)$/gm))
    found[controller] = (found[controller] ?? 0) + Number(count);
  return found;
}

/** Reads from the manager's metrics how many writes the API server has carried out for the manager since the manager started. */
export async function managerWrites(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const line = /^outrigger_api_requests_total\{verb="(?:create|update|patch|apply|delete)",[^}]*code="2\d\d"\} (\d+)$/gm;
  return [...text.matchAll(line)].reduce((sum, [, count = '0']) => sum + Number(count), 0);
}

/** Whether the manager on this port has read everything that it needs. */
export async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
