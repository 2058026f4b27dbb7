// Runs one replica of the manager as a process of its own, so that a simulation can kill and pause it. Arguments: `<kubeconfig> <name>`.
import type { ApiRequest, Transport } from '@outrigger/core';
import { createHub } from '@outrigger/hub';
import { createClient, createLeaseLeader, fenceTransport } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { CONTENT_NAMESPACE, LEASE, LEASE_TIMING, REMOVAL_DELAY_MS, type ToManager, type ToSimulation } from './messages.js';

const [kubeconfig = '', name = ''] = process.argv.slice(2);
const report = (message: ToSimulation): void => void process.send?.(message);
const die = (): void => void process.kill(process.pid, 'SIGKILL');
/** The number of writes until this process kills itself, and whether it does so before or after the server has handled the last of them. */
let crash: { writesLeft: number; readonly isBefore: boolean } | undefined;

const runtime = createRealRuntime({ log: createLogger({ level: 'warn' }) });
const { connection } = await loadConnection({ kubeconfig });
const http = createHttpTransport(connection, runtime);
/** Reports the writes of controllers. A new leader also writes its term into every record, which is not a decision of a controller. */
const observed: Transport = {
  async send(request, signal) {
    if (!isWrite(request)) return http.send(request, signal);
    report({ write: `${request.method} ${request.path}`, isClaim: isClaim(request) });
    const isLast = crash !== undefined && --crash.writesLeft === 0;
    if (isLast && crash?.isBefore) die();
    const answer = await http.send(request, signal);
    if (isLast) die();
    return answer;
  },
  close: () => http.close(),
};
const leader = createLeaseLeader({
  runtime,
  client: createClient({ transport: http, runtime }),
  lease: LEASE,
  name,
  timing: LEASE_TIMING,
});
const client = createClient({ transport: fenceTransport(observed, leader), runtime, fieldManager: 'outrigger-hub' });
const manager = createHub({ runtime, client, namespace: CONTENT_NAMESPACE, leader, removal: { afterMs: REMOVAL_DELAY_MS } });
process.on('message', (message: ToManager) => {
  if (message.do === 'crash') crash = { writesLeft: message.writes, isBefore: message.isBefore };
  else
    report({ question: message.question, isLeading: leader.isLeading, isSettled: manager.isSettled, nextPassInMs: manager.nextPassInMs });
});
process.on('disconnect', die);
await manager.start();
report({ isStarted: true });

/** Whether a request counts as a write. Access reviews store nothing, and no controller reads Events, so neither counts. */
function isWrite({ method, path }: ApiRequest): boolean {
  return method !== 'GET' && !/\/(selfsubjectaccessreviews|subjectaccessreviews|events)(\/|$)/.test(path);
}

function isClaim({ method, body }: ApiRequest): boolean {
  const { metadata, ...rest } = (body ?? {}) as { readonly metadata?: { readonly annotations?: object } };
  return method === 'PATCH' && Object.keys(rest).length === 0 && 'outrigger.dev/term' in (metadata?.annotations ?? {});
}
