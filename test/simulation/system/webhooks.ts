import type { ControlPlaneOptions, Identity } from '@outrigger/control-plane';
import { type HubAdmission, createAdmission, publishWebhooks, respond } from '@outrigger/hub';
import type { Client, Manager } from '@outrigger/kube';
import type { Simulator, VirtualRuntime } from '@outrigger/kube/testing';

/** The identities of the manager, which admission trusts, and of a user with all permissions, whom it checks. */
export const MANAGER: Identity = {
  user: 'system:serviceaccount:default:outrigger-hub',
  groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'],
};
export const USER: Identity = { user: 'user', groups: ['system:masters', 'system:authenticated'] };

const SETTINGS = { trustedUsers: [MANAGER.user], checkMissingExecutor: false };
const URL_OF_MANAGER = 'https://manager.example:9443';
const LATENCY_MS = 5;

type WebhookTransport = NonNullable<ControlPlaneOptions['webhooks']>;

/** The admission webhooks of the hub. They answer while a process of the manager runs, except during an outage. */
export class HubWebhooks {
  readonly #simulator: Simulator;
  #serving: { readonly admission: HubAdmission; readonly runtime: VirtualRuntime } | undefined;
  /** The number of outages, and of those in which calls are not answered, that have not ended. */
  #outages = 0;
  #silent = 0;

  constructor(simulator: Simulator) {
    this.#simulator = simulator;
  }

  /** Serves the webhooks in this process of the manager until it ends. */
  serve(manager: Manager, runtime: VirtualRuntime, client: Client): void {
    const admission = createAdmission({
      view: () => (manager.hasReadAll ? manager.view : undefined),
      client: () => client,
      clock: runtime.clock,
      settings: { ...SETTINGS, managerNamespace: 'default', followsOtherWebhooks: true },
    });
    this.#serving = { admission, runtime };
  }

  /** Configures the API server to call the webhooks. */
  publish(hub: Client, { log }: VirtualRuntime, caBundle: string): Promise<void> {
    return publishWebhooks(hub, { url: URL_OF_MANAGER, caBundle }, log, SETTINGS);
  }

  /** Makes the webhooks unreachable for some time. Calls are refused or, if the outage is silent, never answered. */
  fail(forMs: number, isSilent: boolean): void {
    const count = (by: number): void => {
      this.#outages += by;
      if (isSilent) this.#silent += by;
    };
    count(1);
    this.#simulator.schedule(forMs, () => count(-1));
  }

  get isUp(): boolean {
    return this.#outages === 0 && this.#serving?.runtime.scope.isCut === false;
  }

  /** Sends a call of the API server to the manager. */
  readonly transport: WebhookTransport = async ({ url, body }) => {
    await this.#travel();
    if (this.#silent > 0) return new Promise(() => undefined);
    if (!this.#serving || !this.isUp) throw new Error('dial tcp: connect: connection refused');
    const answer = await respond(this.#serving.admission, new URL(url).pathname, body);
    await this.#travel();
    const isText = typeof answer.body === 'string';
    const text = isText ? String(answer.body) : JSON.stringify(answer.body);
    return { status: answer.status, contentType: isText ? 'text/plain' : 'application/json', text };
  };

  #travel(): Promise<void> {
    return new Promise((resolve) => void this.#simulator.schedule(LATENCY_MS, resolve));
  }
}
