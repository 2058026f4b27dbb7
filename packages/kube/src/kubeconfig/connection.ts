/** PEM text at hand, or a file that holds it and may be replaced while we run. */
export type PemSource = { readonly data: string } | { readonly file: string };

/** A helper program that hands out credentials (`client.authentication.k8s.io`). */
export interface ExecPlugin {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  /** A bare name is looked up on the PATH; a relative path was resolved against the kubeconfig it came from. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** Said when the program is not there. */
  readonly installHint?: string;
  /** Whether the program is told about the cluster. */
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
  /** The cluster's `client.authentication.k8s.io/exec` extension, handed on as it is. */
  readonly clusterConfig?: unknown;
}

export interface Impersonation {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Everything needed to reach one API server as one user. Plain data: files are named, not read, and nothing was dialled. */
export interface ConnectionConfig {
  /** `https://host:port`, with a path if the server lives below one. */
  readonly server: string;
  readonly ca?: PemSource;
  /** The name to verify the server's certificate against, where it differs from the address. */
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly clientCertificate?: PemSource;
  readonly clientKey?: PemSource;
  readonly token?: string;
  /** Read again from time to time; wins over `token`. */
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecPlugin;
  readonly impersonate?: Impersonation;
  /** Where it came from (`context "dev" of ~/.kube/config`), for messages. */
  readonly origin?: string;
}

/** What is wrong with how we were told to connect: one line with what, where and what to do about it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
