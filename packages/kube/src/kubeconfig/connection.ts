/** PEM text, or the path of a file that contains it. The file may be replaced while the process runs. */
export type PemSource = { readonly data: string } | { readonly file: string };

/** A helper program that provides credentials (`client.authentication.k8s.io`). */
export interface ExecPlugin {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  /**
   * The program. A bare name is looked up on the PATH. A relative path has already been resolved against the location of the kubeconfig.
   */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** The hint to show if the program does not exist. */
  readonly installHint?: string;
  /** Whether the client passes information about the cluster to the program, in KUBERNETES_EXEC_INFO. */
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
  /** The cluster's `client.authentication.k8s.io/exec` extension, passed on unchanged. */
  readonly clusterConfig?: unknown;
}

export interface Impersonation {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The settings for reaching one API server as one user. They are plain data: no file has been read and no connection opened. */
export interface ConnectionConfig {
  /** `https://host:port`, with a path if the server's root has one. */
  readonly server: string;
  readonly ca?: PemSource;
  /** The name that the server's certificate must have, if it differs from the address. */
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly clientCertificate?: PemSource;
  readonly clientKey?: PemSource;
  readonly token?: string;
  /** The path of the token file, which is read again from time to time. It takes precedence over `token`. */
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecPlugin;
  readonly impersonate?: Impersonation;
  /** The name of the kubeconfig user that has the client certificate, for messages. */
  readonly certificateUser?: string;
  /** The source of the config (`context "dev" of ~/.kube/config`), for messages. */
  readonly origin?: string;
}

/** An error in the connection settings, as one line with the problem, its place and the remedy. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
