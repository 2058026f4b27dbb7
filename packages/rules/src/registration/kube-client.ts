import {
  HUB_KUBECONFIG_MOUNT,
  HUB_KUBECONFIG_VOLUME,
  KUBE_CLIENT_SIGNER,
  defaultSubject,
  hubKubeconfigSecretName,
  serviceAccountUser,
  templateAgentName,
} from '@outrigger/api';
import type { RegistrationRule } from './registration.js';

/** The registration with which an add-on's agent gets a kubeconfig for the hub's API. */
export const kubeClient: RegistrationRule = {
  isSignIn: true,
  signer: () => KUBE_CLIENT_SIGNER,
  /**
   * With the token driver no certificate is requested: the add-on's agent authenticates as the ServiceAccount that was created for the
   * add-on.
   */
  subject: (_, { cluster, addOn, driver }) =>
    driver === 'token' ? { user: serviceAccountUser(cluster, templateAgentName(addOn)) } : defaultSubject(cluster, addOn),
  credential: (_, addOn) => ({
    secret: hubKubeconfigSecretName(addOn),
    volume: HUB_KUBECONFIG_VOLUME,
    mountPath: HUB_KUBECONFIG_MOUNT,
  }),
  permissions: ({ kubeClient: client }) => client?.hubPermissions ?? [],
};
