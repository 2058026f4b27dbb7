import { addOnUser, clientCertSecretName, defaultSubject, signerMountPath, signerVolumeName } from '@outrigger/api';
import type { RegistrationRule } from './registration.js';

/** The registration with which an add-on's agent gets a certificate from an authority that the template names. */
export const customSigner: RegistrationRule = {
  isSignIn: false,
  signer: ({ customSigner: signer }) => signer?.signerName,
  subject({ customSigner: signer }, { cluster, addOn }) {
    const subject = signer?.subject;
    if (!subject) return defaultSubject(cluster, addOn);
    // Agents use this user name if the subject has none.
    return { ...subject, user: subject.user || addOnUser(cluster, addOn, addOn) };
  },
  credential: (signer, addOn) => ({
    secret: clientCertSecretName(addOn, signer),
    volume: signerVolumeName(signer),
    mountPath: signerMountPath(signer),
  }),
  permissions: () => [],
};
