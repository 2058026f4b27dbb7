import {
  ADDON_NAME_LABEL,
  CLUSTER_NAME_LABEL,
  DEFAULT_INSTALL_NAMESPACE,
  KUBE_CLIENT_SIGNER,
  type RegistrationConfig,
  addOnClusterGroup,
  addOnCsrPrefix,
  addOnDnsName,
  addOnUser,
  clientCertSecretName,
  hubKubeconfigSecretName,
  serviceAccountUser,
  templateAgentName,
} from '@outrigger/api';
import { type HubEndpoint, hubKubeconfig } from '../credentials/hub-kubeconfig.js';
import type { CredentialSpec } from '../credentials/machine.js';
import { CREDENTIAL_LABEL } from '../credentials/secrets.js';
import type { ClusterAddOnProjection } from '../resources/add-ons.js';

/** The way in which add-ons authenticate to the hub: with a certificate, or with a ServiceAccount's token. */
export type KubeClientDriver = 'csr' | 'token';

export interface RegistrationSettings {
  readonly clusterName: string;
  readonly hub: HubEndpoint;
  readonly driver: KubeClientDriver;
  /** The requested lifetime of certificates; if it is undefined, the signer decides. */
  readonly certificateSeconds: number | undefined;
  readonly tokenSeconds: number;
}

/** A token that the agent keeps in a Secret. */
export interface TokenSpec {
  readonly id: string;
  readonly secret: { readonly namespace: string; readonly name: string };
  readonly labels: Readonly<Record<string, string>>;
  readonly serviceAccount: { readonly namespace: string; readonly name: string };
  readonly user: string;
  readonly expirationSeconds: number;
  readonly extraData: Readonly<Record<string, string>>;
}

/** The credentials that an add-on should have: one per registration that the hub published. */
export interface WantedCredentials {
  readonly certificates: readonly CredentialSpec[];
  readonly token: TokenSpec | undefined;
}

export function installNamespaceOf({ status, installNamespace }: ClusterAddOnProjection): string {
  return status.namespace || installNamespace || DEFAULT_INSTALL_NAMESPACE;
}

export function hasKubeClient({ status }: ClusterAddOnProjection): boolean {
  return (status.registrations ?? []).some(({ signerName }) => signerName === KUBE_CLIENT_SIGNER);
}

export function wantedCredentials(clusterAddOn: ClusterAddOnProjection, settings: RegistrationSettings): WantedCredentials {
  const registrations = clusterAddOn.status.registrations ?? [];
  const byToken = settings.driver === 'token' && hasKubeClient(clusterAddOn);
  // A registration of v1beta1 without `customSigner` has no signer, so there is nothing to request until `customSigner` is set.
  const signed = registrations.filter(({ signerName }) => signerName !== '');
  const certificates = signed.filter(({ signerName }) => !byToken || signerName !== KUBE_CLIENT_SIGNER);
  const bySecret = new Map(certificates.map((registration) => specOf(clusterAddOn, registration, settings)).map((spec) => [spec.id, spec]));
  return { certificates: [...bySecret.values()], token: byToken ? tokenSpec(clusterAddOn, settings) : undefined };
}

function specOf(
  clusterAddOn: ClusterAddOnProjection,
  { signerName, subject }: RegistrationConfig,
  settings: RegistrationSettings,
): CredentialSpec {
  const { clusterName, hub } = settings;
  const { name } = clusterAddOn.key;
  const isKubeClient = signerName === KUBE_CLIENT_SIGNER;
  const kubeconfig = isKubeClient ? { kubeconfig: hubKubeconfig(hub, 'certificate') } : {};
  return {
    id: `${name}/${signerName}`,
    secret: {
      namespace: installNamespaceOf(clusterAddOn),
      name: isKubeClient ? hubKubeconfigSecretName(name) : clientCertSecretName(name, signerName),
    },
    labels: labelsOf(name, clusterName),
    signerName,
    user: subject?.user || addOnUser(clusterName, name, name),
    groups: subject?.groups?.length || !isKubeClient ? (subject?.groups ?? []) : [addOnClusterGroup(clusterName, name)],
    units: subject?.organizationUnit ?? [],
    dnsNames: [addOnDnsName(name)],
    expirationSeconds: settings.certificateSeconds,
    requestPrefix: addOnCsrPrefix(clusterName, name),
    requestLabels: { [CLUSTER_NAME_LABEL]: clusterName, [ADDON_NAME_LABEL]: name },
    extraData: { 'cluster-name': clusterName, ...kubeconfig },
  };
}

function tokenSpec(clusterAddOn: ClusterAddOnProjection, { clusterName, hub, tokenSeconds }: RegistrationSettings): TokenSpec {
  const { name } = clusterAddOn.key;
  const serviceAccount = { namespace: clusterName, name: templateAgentName(name) };
  return {
    id: `${name}/token`,
    secret: { namespace: installNamespaceOf(clusterAddOn), name: hubKubeconfigSecretName(name) },
    labels: labelsOf(name, clusterName),
    serviceAccount,
    user: serviceAccountUser(serviceAccount.namespace, serviceAccount.name),
    expirationSeconds: tokenSeconds,
    extraData: { 'cluster-name': clusterName, kubeconfig: hubKubeconfig(hub, 'token') },
  };
}

function labelsOf(addOnName: string, cluster: string): Readonly<Record<string, string>> {
  return { [CREDENTIAL_LABEL]: 'add-on', [ADDON_NAME_LABEL]: addOnName, [CLUSTER_NAME_LABEL]: cluster };
}
