/** A running Kubernetes API server, real or embedded, with everything that a suite needs to connect to it. */
export interface TestServer {
  readonly name: 'kube' | 'embedded';
  /** The URL `https://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
  readonly caPem: string;
  /** A client certificate in `system:masters`. */
  readonly adminCertPem: string;
  readonly adminKeyPem: string;
  /** A kubeconfig of the administrator. */
  readonly kubeconfigPath: string;
  /** Whether garbage collection, namespace deletion and certificate signing run. */
  readonly hasControllers: boolean;
  /** Returns credentials for a user in the given groups (and `system:authenticated`): a token or a certificate. */
  credentialsFor(user: string, groups?: readonly string[]): Promise<Credentials>;
  /**
   * Makes every resource version up to now too old for a watch. kube-apiserver cannot be made to do this; it does so by itself only for a
   * kind that it has just started to serve. A test that expects an expired version therefore uses such a kind.
   */
  forgetHistory(): Promise<void>;
  /**
   * Resolves when the server's controllers follow every kind that is defined now. kube-controller-manager looks for new kinds only every
   * 30 seconds; a suite that relies on garbage collection of custom kinds calls this after it has installed them.
   */
  followKinds(): Promise<void>;
}

export interface Credentials {
  readonly token?: string;
  readonly certPem?: string;
  readonly keyPem?: string;
}

export type Component = 'etcd' | 'kube-apiserver' | 'kube-controller-manager';

/** A real server whose components a test can kill, pause and restart. */
export interface RealKube extends TestServer {
  /** The address of etcd's API, for tests that read or change what the server stores. */
  readonly etcdUrl: string;
  /** Returns a bearer token that the server accepts for this user in these groups. */
  token(user: string, groups?: readonly string[]): string;
  /** Kills the process at once, as `kill -9` or a power cut would. */
  kill(component: Component): Promise<void>;
  /** Kills the process if it runs, starts it on the same port and data, and waits until it serves. */
  restart(component: Component): Promise<void>;
  /** Pauses the process. Resolves when the process no longer answers. */
  pause(component: Component): Promise<void>;
  resume(component: Component): void;
  /** Returns the process ID, for measurements. */
  pid(component: Component): number;
  /** Stops all processes and removes the data. */
  stop(): Promise<void>;
}
