import {
  HUB_KUBECONFIG_MOUNT,
  HUB_KUBECONFIG_VOLUME,
  type TemplateRegistration,
  clientCertSecretName,
  hubKubeconfigSecretName,
  signerMountPath,
  signerVolumeName,
} from '@outrigger/api';
import type { Mount } from './inject.js';

/** The mounts of the Secrets that the cluster's agent maintains for each registration of a template. */
export function credentialMounts(addOnName: string, registrations: readonly TemplateRegistration[]): readonly Mount[] {
  return registrations.flatMap((registration): Mount[] => {
    if (registration.type === 'KubeClient') {
      return [{ name: HUB_KUBECONFIG_VOLUME, mountPath: HUB_KUBECONFIG_MOUNT, source: { secret: hubKubeconfigSecretName(addOnName) } }];
    }
    const signer = registration.customSigner?.signerName;
    if (signer === undefined) return [];
    return [
      {
        name: signerVolumeName(signer),
        mountPath: signerMountPath(signer),
        source: { secret: clientCertSecretName(addOnName, signer) },
      },
    ];
  });
}
