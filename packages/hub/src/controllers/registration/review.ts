import { REGISTER_GROUP, type SubjectAccessReview, subjectAccessReviews } from '@outrigger/api';
import { TerminalError } from '@outrigger/core';
import type { EffectContext } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import type { ReviewInput } from './decide.js';

/** Asks the API server whether the agent may still renew its certificate. Throws if it may not. */
export async function review({ user, groups, cluster }: ReviewInput, context: EffectContext): Promise<void> {
  const answer = await context.client(HUB).create<SubjectAccessReview>(
    subjectAccessReviews,
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        user,
        groups,
        resourceAttributes: {
          verb: 'renew',
          group: REGISTER_GROUP,
          resource: 'managedclusters',
          subresource: 'clientcertificates',
          name: cluster,
        },
      },
    },
    { signal: context.signal },
  );
  if (answer.status?.allowed !== true) {
    throw new TerminalError(`${user} may not renew the certificate of cluster ${cluster}: managedclusters/clientcertificates, verb renew`);
  }
}
