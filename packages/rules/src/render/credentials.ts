import type { TemplateRegistration } from '@outrigger/api';
import { credentialsOf } from '../registration/index.js';
import type { Mount } from './inject.js';

/** The mounts of the Secrets that the cluster's agent maintains for each registration of a template. */
export function credentialMounts(addOnName: string, registrations: readonly TemplateRegistration[]): readonly Mount[] {
  return credentialsOf(registrations, addOnName).map(({ secret, volume, mountPath }) => ({ name: volume, mountPath, source: { secret } }));
}
