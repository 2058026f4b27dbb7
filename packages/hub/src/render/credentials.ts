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

/** The secrets the cluster's agent will keep for each registration of a template, and where the add-on finds them. */
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
