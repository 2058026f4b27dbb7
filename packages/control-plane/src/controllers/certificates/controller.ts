import { errorMessage, toTime } from '@outrigger/core';
import { parseCsr, signCertificate } from '@outrigger/core/x509';
import type { Authority } from '../../auth/credentials.js';
import { accepting } from '../accepting.js';
import type { ControllerContext, RunningController } from '../contract.js';
import { follow, lookUp } from '../follow.js';
import { signingRequests } from '../kinds.js';
import { Worker } from '../worker.js';
import { cleanupDue } from './cleanup.js';
import { decideSigning, type SigningDecision, type SigningRequest } from './signing.js';

/** Issues approved client certificates and deletes requests that are no longer needed. */
export function startCertificateSigning(context: ControllerContext, authority: Authority): RunningController {
  const { runtime, store, api } = context;
  const worker = new Worker(runtime, 'certificate-signing', async (name) => {
    const request = lookUp<SigningRequest>(store, signingRequests, name);
    if (!request) return undefined;
    const now = runtime.clock.now();
    const due = cleanupDue(request);
    if (due !== undefined && due <= now) {
      await accepting(api.remove(signingRequests, { name }, { preconditions: { uid: request.metadata.uid } }), 'NotFound');
      return undefined;
    }
    await carryOut(context, authority, request, decideSigning(request, now));
    return due === undefined ? undefined : due - now;
  });
  const unfollow = follow(store, signingRequests, (request, { metadata: { name = '' } }) => {
    if (request) worker.add(name);
  });
  worker.start();
  return {
    stop: () => {
      unfollow();
      return worker.stop();
    },
  };
}

async function carryOut(
  context: ControllerContext,
  authority: Authority,
  request: SigningRequest,
  decision: SigningDecision,
): Promise<void> {
  if (decision.type === 'nothing') return;
  if (decision.type === 'fail') return fail(context, request, 'SignerValidationFailure', decision.message);
  const { keys, random } = context.runtime;
  const csr = Buffer.from(request.spec?.request ?? '', 'base64').toString('utf8');
  const { usages, notBefore, notAfter } = decision;
  let certificate: string;
  try {
    const { altNames } = await parseCsr(keys, csr);
    const { dnsNames, ips } = altNames;
    const ca = { ca: authority.certificate, caKey: authority.key };
    certificate = await signCertificate(keys, { ...ca, csr, usages, dnsNames, ips, notBefore, notAfter, serial: random.bytes(16) });
  } catch (error) {
    // A retry cannot make an invalid request valid, so the request fails permanently.
    return fail(context, request, 'SigningError', errorMessage(error));
  }
  await writeStatus(context, request, { ...request.status, certificate: Buffer.from(certificate).toString('base64') });
}

async function fail(context: ControllerContext, request: SigningRequest, reason: string, message: string): Promise<void> {
  const now = toTime(context.runtime.clock.now());
  const failed = { type: 'Failed', status: 'True', reason, message, lastUpdateTime: now, lastTransitionTime: now };
  await writeStatus(context, request, { ...request.status, conditions: [...(request.status?.conditions ?? []), failed] });
}

async function writeStatus({ api }: ControllerContext, request: SigningRequest, status: SigningRequest['status']): Promise<void> {
  const next: SigningRequest = { ...request, ...(status ? { status } : {}) };
  await accepting(api.replace(signingRequests, next, 'status'), 'NotFound');
}
