import type { Authority } from '../auth/credentials.js';
import { startCertificateSigning } from './certificates/controller.js';
import { startCompaction } from './compaction.js';
import type { ControllerContext, RunningController } from './contract.js';
import { startEventExpiry } from './event-expiry.js';
import { startGarbageCollection } from './garbage-collection/controller.js';
import { startDefaultObjects } from './namespaces/default-objects.js';
import { startNamespaceLifecycle } from './namespaces/lifecycle.js';
import { startRoleAggregation } from './role-aggregation.js';

/** Starts all controllers that run inside the server. */
export function startControllers(context: ControllerContext, authority: Authority): RunningController[] {
  return [
    startGarbageCollection(context),
    startNamespaceLifecycle(context),
    startDefaultObjects(context, authority.certificate),
    startRoleAggregation(context),
    startCertificateSigning(context, authority),
    startEventExpiry(context),
    startCompaction(context),
  ];
}
