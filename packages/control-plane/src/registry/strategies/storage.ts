import { fieldError } from '@outrigger/core/schema';
import { ensureFields, fieldsOf, isFields, listOf } from '../draft.js';
import type { Strategy } from '../resource.js';

/** The strategies in this file are for kinds of storage, priorities and devices, which have defaults but no rules beyond their schemas. */

export const csiDriverStrategy: Strategy = {
  hasGeneration: true,
  returnsDeletedObject: true,
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    spec['attachRequired'] ??= true;
    spec['podInfoOnMount'] ??= false;
    spec['storageCapacity'] ??= false;
    spec['fsGroupPolicy'] ??= 'ReadWriteOnceWithFSType';
    spec['volumeLifecycleModes'] ??= ['Persistent'];
    spec['requiresRepublish'] ??= false;
    spec['seLinuxMount'] ??= false;
  },
};

export const flowSchemaStrategy: Strategy = {
  hasGeneration: true,
  statusKeeps: 'metadata',
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    spec['matchingPrecedence'] ??= 1000;
  },
  prepareForCreate(draft) {
    draft['status'] = {};
  },
};

export const priorityLevelStrategy: Strategy = {
  hasGeneration: true,
  statusKeeps: 'metadata',
  setDefaults(draft) {
    const spec = ensureFields(draft, 'spec');
    if (spec['type'] === 'Exempt') {
      const exempt = ensureFields(spec, 'exempt');
      exempt['nominalConcurrencyShares'] ??= 0;
      exempt['lendablePercent'] ??= 0;
    }
    if (spec['type'] !== 'Limited') return;
    const limited = ensureFields(spec, 'limited');
    limited['nominalConcurrencyShares'] ??= 30;
    limited['lendablePercent'] ??= 0;
    const response = ensureFields(limited, 'limitResponse');
    const { queuing } = response;
    if (response['type'] !== 'Queue' || !isFields(queuing)) return;
    queuing['queues'] ??= 64;
    queuing['handSize'] ??= 8;
    queuing['queueLengthLimit'] ??= 50;
  },
  prepareForCreate(draft) {
    draft['status'] = {};
  },
  validate(draft) {
    const response = fieldsOf(fieldsOf(fieldsOf(draft, 'spec'), 'limited'), 'limitResponse');
    if (response['type'] !== 'Queue' || isFields(response['queuing'])) return [];
    const why = 'must not be empty if limited.limitResponse.type is Limited';
    return [fieldError.required('spec.limited.limitResponse.queuing', why)];
  },
};

export const volumeAttachmentStrategy: Strategy = {
  returnsDeletedObject: true,
  statusKeeps: 'metadata',
  prepareForCreate(draft) {
    draft['status'] = { attached: false };
  },
};

export const resourceClaimStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  statusKeeps: 'metadata',
  setDefaults: (draft) => defaultRequests(ensureFields(draft, 'spec')),
  prepareForCreate(draft) {
    draft['status'] = {};
  },
};

export const resourceClaimTemplateStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  setDefaults: (draft) => defaultRequests(ensureFields(ensureFields(draft, 'spec'), 'spec')),
};

function defaultRequests(spec: Record<string, unknown>): void {
  for (const request of listOf(spec['devices'], 'requests')) {
    const exactly = request['exactly'];
    if (typeof exactly === 'object' && exactly !== null) defaultCount(exactly as Record<string, unknown>);
    for (const alternative of listOf(request, 'firstAvailable')) defaultCount(alternative);
  }
}

function defaultCount(request: Record<string, unknown>): void {
  request['allocationMode'] ??= 'ExactCount';
  if (request['allocationMode'] === 'ExactCount') request['count'] ??= 1;
}
