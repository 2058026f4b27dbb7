/** A running Kubernetes API, real or embedded: whatever a suite needs to talk to it as its own client would. */
export interface TestServer {
  readonly name: 'kube' | 'embedded';
  /** `https://127.0.0.1:<port>`, no trailing slash. */
  readonly url: string;
  readonly caPem: string;
  /** A client certificate in `system:masters`. */
  readonly adminCertPem: string;
  readonly adminKeyPem: string;
  /** Speaks as the admin. */
  readonly kubeconfigPath: string;
  /** Whether garbage collection, namespace deletion and certificate signing run. */
  readonly hasControllers: boolean;
  /** What to show to be this user in these groups (and `system:authenticated`): a token or a certificate. */
  credentialsFor(user: string, groups?: readonly string[]): Promise<Credentials>;
  /**
   * Makes every version before now too old to watch from. kube-apiserver does this by itself for a kind it just began to serve
   * and cannot be told to for others, so a suite asks about such a kind.
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

/** A real server, whose parts can be hurt. */
export interface RealKube extends TestServer {
  /** A bearer token the server takes for this user in these groups. */
  token(user: string, groups?: readonly string[]): string;
  /** Dies at once, as by `kill -9` or a power cut of that process. */
  kill(component: Component): Promise<void>;
  /** Kills it if it runs, starts it on the same port and data, and waits until it serves. */
  restart(component: Component): Promise<void>;
  pause(component: Component): void;
  resume(component: Component): void;
  /** For measurements. */
  pid(component: Component): number;
  /** Ends every process and removes the data. */
  stop(): Promise<void>;
}
