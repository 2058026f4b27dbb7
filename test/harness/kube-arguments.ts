import { dirname } from 'node:path';
import type { Certificates } from './certificates.js';

export function etcdArgs(options: { dataFolder: string; clientPort: number; peerPort: number; fsync: boolean }): string[] {
  const client = `http://127.0.0.1:${options.clientPort}`;
  const peer = `http://127.0.0.1:${options.peerPort}`;
  return [
    `--data-dir=${options.dataFolder}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--log-level=warn',
    ...(options.fsync ? [] : ['--unsafe-no-fsync']),
  ];
}

export function apiserverArgs(options: {
  certificates: Certificates;
  etcdPort: number;
  port: number;
  webhookConfig: string;
  serviceAccountAdmission: boolean;
}): string[] {
  const { ca, server, serviceAccountKey } = options.certificates;
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${options.port}`,
    // Publish no endpoints of the `kubernetes` service: they may not be loopback addresses, and no test looks them up.
    '--endpoint-reconciler-type=none',
    `--etcd-servers=http://127.0.0.1:${options.etcdPort}`,
    `--cert-dir=${dirname(server.cert)}`,
    `--tls-cert-file=${server.cert}`,
    `--tls-private-key-file=${server.key}`,
    `--client-ca-file=${ca.cert}`,
    '--authorization-mode=RBAC',
    '--authentication-token-webhook-version=v1',
    `--authentication-token-webhook-config-file=${options.webhookConfig}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${serviceAccountKey}`,
    `--service-account-signing-key-file=${serviceAccountKey}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged=true',
    '--profiling=false',
    // Without the service account controller no namespace gets a default service account, so the admission plugin would reject every pod.
    ...(options.serviceAccountAdmission ? [] : ['--disable-admission-plugins=ServiceAccount']),
  ];
}

/**
 * The controllers that need no nodes. The approving controller stays off, because suites approve requests themselves to check the approver.
 */
const CONTROLLERS = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'certificatesigningrequest-signing-controller',
  'clusterrole-aggregation-controller',
];

export function controllerManagerArgs(options: { certificates: Certificates; kubeconfigPath: string; port: number }): string[] {
  const { ca, serviceAccountKey } = options.certificates;
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${options.port}`,
    `--tls-cert-file=${options.certificates.server.cert}`,
    `--tls-private-key-file=${options.certificates.server.key}`,
    `--kubeconfig=${options.kubeconfigPath}`,
    `--authentication-kubeconfig=${options.kubeconfigPath}`,
    `--authorization-kubeconfig=${options.kubeconfigPath}`,
    '--leader-elect=false',
    `--controllers=${CONTROLLERS.join(',')}`,
    `--cluster-signing-cert-file=${ca.cert}`,
    `--cluster-signing-key-file=${ca.key}`,
    `--root-ca-file=${ca.cert}`,
    `--service-account-private-key-file=${serviceAccountKey}`,
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    '--profiling=false',
  ];
}
