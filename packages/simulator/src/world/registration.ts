import {
  ADDON_NAME_LABEL,
  AGENT_IDENTITY_ANNOTATION,
  ALL_CLUSTER_AGENTS_GROUP,
  CLIENT_CERTIFICATE_USAGES,
  CLUSTER_NAME_LABEL,
  type CertificateSigningRequest,
  JOIN_GROUP,
  JOIN_NAMESPACE,
  KUBE_CLIENT_SIGNER,
  certificateSigningRequests,
  clusterAgentGroup,
  managedClusterAddOns,
  managedClusters,
  namespaces,
  serviceAccountUser,
} from '@outrigger/api';
import { type JsonObject, type SeededRandom, apiVersionOf } from '@outrigger/core';
import type { RegistrationStep } from '../history/steps.js';
import type { Agenda, ApiEvent, MemoryApi } from '../engine/index.js';
import { type Credentials, type KeyNumber, MACHINES, type MachineName, type Paper, agentUser, issue } from './credentials.js';
import { CLUSTERS, type ClusterName } from './objects.js';

/**
 * Annotations for the model, which the hub does not read: the machine that sends the request, the kind of request, and, if the hub must not
 * approve the request, the part of it that is wrong.
 */
const MACHINE = 'sim.outrigger.dev/machine';
const ASKS = 'sim.outrigger.dev/asks';
const WRONG = 'sim.outrigger.dev/wrong';
const CREDENTIAL_EXTRA = 'authentication.kubernetes.io/credential-id';
const AUTHENTICATED = 'system:authenticated';

const SIGN_MS = 15;
/** An agent renews its certificate when this share of the certificate's lifetime has passed. */
const RENEW_AT = 0.8;
/** Lifetimes of certificates. A cluster that is away for long returns with an expired certificate. */
const LIFETIMES_SECONDS = [300, 900, 7_200] as const;
/**
 * The lifetime of certificates that are issued at the end of a run. It is so long that none is renewed while the simulator checks that the
 * hub is settled.
 */
const CALM_LIFETIME_SECONDS = 30 * 24 * 3_600;
const ADD_ON_WITH_RIGHTS = 'beta';

/** The certificate with which a machine reaches the hub. */
interface Credential {
  readonly id: string;
  readonly endsAt: number;
}

interface Machine {
  readonly name: MachineName;
  /** The key of the machine's last certificate. */
  key: KeyNumber;
  credential: Credential | undefined;
  /** Whether the machine waits for a certificate of its cluster. Until the hub has answered, an agent sends no other such request. */
  isAsking: boolean;
  /** The uids of the add-ons for whose certificates the machine has asked since it joined. */
  readonly asked: Set<string>;
}

/** A request that was sent and has no certificate yet. */
interface Open {
  readonly machine: Machine;
  readonly paper: Paper;
  readonly asks: 'join' | 'renew' | 'add-on';
  readonly key: KeyNumber;
}

/** The machine that holds the name of a cluster at the start of a run. */
export type Holders = ReadonlyMap<ClusterName, Pick<Machine, 'name' | 'key' | 'credential'>>;

interface RegistrationContext {
  readonly api: MemoryApi;
  readonly agenda: Agenda;
  readonly random: SeededRandom;
  readonly person: (write: () => unknown) => void;
  readonly isAway: (cluster: ClusterName) => boolean;
  /** Called when a machine has joined. */
  readonly joined: (cluster: ClusterName) => void;
}

/** The machines that use the names of clusters and ask the hub for certificates, and the signer of the API server. */
export class Registration {
  readonly #registrars: ReadonlyMap<ClusterName, Registrar>;

  constructor(credentials: Credentials, context: RegistrationContext, holders: Holders = new Map()) {
    const registrar = (cluster: ClusterName): Registrar => new Registrar(cluster, credentials, context, holders.get(cluster));
    this.#registrars = new Map(CLUSTERS.map((cluster) => [cluster, registrar(cluster)]));
  }

  get holders(): Holders {
    const found = [...this.#registrars].flatMap(
      ([
        cluster,
        {
          holder: { name, key, credential },
        },
      ]) => (credential ? [[cluster, { name, key, credential }] as const] : []),
    );
    return new Map(found);
  }

  notice(event: ApiEvent): void {
    for (const registrar of this.#registrars.values()) registrar.notice(event);
  }

  act(step: RegistrationStep): void {
    this.#registrars.get(step.cluster)?.act(step);
  }

  /** Whether a machine has ever joined as this cluster. */
  hasJoined(cluster: ClusterName): boolean {
    return this.#registrars.get(cluster)?.holder.credential !== undefined;
  }

  /** Makes the machine of a cluster that was away renew its certificate, or join again if the certificate has expired. */
  comeBack(cluster: ClusterName): void {
    this.#registrars.get(cluster)?.refresh();
  }

  /** Makes every machine that holds a name request certificates once more, with a lifetime that exceeds the run. */
  heal(): void {
    for (const registrar of this.#registrars.values()) registrar.heal();
  }
}

/** The machines that use the name of one cluster. */
class Registrar {
  readonly #cluster: ClusterName;
  readonly #credentials: Credentials;
  readonly #context: RegistrationContext;
  readonly #machines: readonly Machine[];
  readonly #open = new Map<string, Open>();
  /** The machine that joined last. */
  holder: Machine;
  /** The machine that is in use: the holder, or a machine that is to take the name. */
  #active: Machine;
  #isCalm = false;

  constructor(cluster: ClusterName, credentials: Credentials, context: RegistrationContext, holder: Partial<Machine> | undefined) {
    this.#cluster = cluster;
    this.#credentials = credentials;
    this.#context = context;
    this.#machines = MACHINES.map((name) => ({
      key: 0,
      credential: undefined,
      ...(holder?.name === name ? holder : {}),
      name,
      isAsking: false,
      asked: new Set(),
    }));
    this.holder = this.#machine(holder?.name ?? MACHINES[0]);
    this.#active = this.holder;
    this.#planRenewal(this.holder);
  }

  notice({ kind, before, after }: ApiEvent): void {
    if (kind.plural === managedClusters.plural && !before && after?.metadata.name === this.#cluster) this.#soon(() => this.refresh());
    if (kind.plural === managedClusterAddOns.plural && after?.metadata.namespace === this.#cluster) this.#askForAddOns();
    if (kind.plural === certificateSigningRequests.plural && after) this.#noticeRequest(after as CertificateSigningRequest);
  }

  act(step: RegistrationStep): void {
    switch (step.do) {
      case 'ask to join':
        this.#active = this.#machine(step.machine);
        this.#join(this.#active);
        return;
      case 'renew':
        this.#renew(this.#machine(step.machine));
        return;
      case 'ask for add-on':
        this.#askFor(this.#machine(step.machine), ADD_ON_WITH_RIGHTS);
        return;
      case 'allow reuse':
        this.#allowReuse();
        return;
      case 'wrong request':
        this.#sendWrong(step.wrong);
    }
  }

  /** Renews the certificate of the machine that is in use, or makes that machine join if it has no valid certificate. */
  refresh(): void {
    if (this.#context.isAway(this.#cluster) || !this.#context.api.find(managedClusters, { name: this.#cluster })) return;
    if (this.#isValid(this.#active)) this.#renew(this.#active);
    else this.#join(this.#active);
  }

  heal(): void {
    this.#isCalm = true;
    this.#active = this.holder;
    this.refresh();
  }

  #machine(name: MachineName): Machine {
    return this.#machines.find((machine) => machine.name === name) as Machine;
  }

  #isValid({ credential }: Machine): boolean {
    return credential !== undefined && credential.endsAt > this.#context.agenda.now;
  }

  /** Sends a request to join, with the join token of the cluster and the key that the machine had before. */
  #join(machine: Machine): void {
    if (machine.isAsking) return;
    machine.isAsking = true;
    const paper = this.#credentials.ofCluster(this.#cluster, machine.name, machine.key);
    this.#send({ machine, paper, asks: 'join', key: machine.key }, tokenHolder(this.#cluster));
  }

  /** Requests a certificate for the machine's other key. The machine authenticates with its current certificate. */
  #renew(machine: Machine): void {
    if (machine.isAsking || !this.#isValid(machine)) return;
    machine.isAsking = true;
    const key = machine.key === 0 ? 1 : 0;
    const paper = this.#credentials.ofCluster(this.#cluster, machine.name, key);
    this.#send({ machine, paper, asks: 'renew', key }, this.#agent(machine));
  }

  #askFor(machine: Machine, addOn: string): void {
    if (!this.#isValid(machine)) return;
    const paper = this.#credentials.ofAddOn(this.#cluster, machine.name, addOn, false);
    this.#send({ machine, paper, asks: 'add-on', key: machine.key }, this.#agent(machine), { addOn });
  }

  /** The holder asks for the certificate of an add-on when the hub has published its registration. */
  #askForAddOns(): void {
    const { api, isAway } = this.#context;
    const addOn = api.find(managedClusterAddOns, { namespace: this.#cluster, name: ADD_ON_WITH_RIGHTS });
    const { uid = '' } = addOn?.metadata ?? {};
    if ((addOn?.status?.registrations ?? []).length === 0 || isAway(this.#cluster)) return;
    if (!this.#isValid(this.holder) || this.holder.asked.has(uid)) return;
    this.holder.asked.add(uid);
    this.#soon(() => this.#askFor(this.holder, ADD_ON_WITH_RIGHTS));
  }

  /** Does what `outrigger join --reuse-name` does: confirms that the name of a detached cluster may be used. */
  #allowReuse(): void {
    const { api, person } = this.#context;
    const text = api.find(namespaces, { name: this.#cluster })?.metadata.annotations?.[AGENT_IDENTITY_ANNOTATION];
    const identity = text === undefined ? undefined : (JSON.parse(text) as JsonObject);
    if (identity?.['detached'] === undefined) return;
    const annotations = { [AGENT_IDENTITY_ANNOTATION]: JSON.stringify({ ...identity, reuse: true }) };
    person(() => api.patch({ name: 'person' }, namespaces, { name: this.#cluster }, { metadata: { annotations } }));
  }

  #sendWrong(wrong: WrongRequest): void {
    const machine = this.holder;
    const other = CLUSTERS[(CLUSTERS.indexOf(this.#cluster) + 1) % CLUSTERS.length] as ClusterName;
    const addOn = wrong === 'add-on' ? 'alpha' : ADD_ON_WITH_RIGHTS;
    if (wrong === 'token') {
      const paper = this.#credentials.ofCluster(this.#cluster, machine.name, machine.key);
      this.#send({ machine, paper, asks: 'join', key: machine.key }, tokenHolder(other), { wrong });
      return;
    }
    if (!this.#isValid(machine)) return;
    const paper = this.#credentials.ofAddOn(this.#cluster, machine.name, addOn, wrong === 'subject');
    const own = this.#agent(machine);
    const requester = wrong === 'requester' ? { ...own, username: agentUser(other, machine.name), groups: agentGroups(other) } : own;
    const usages = wrong === 'usages' ? ['digital signature', 'server auth'] : CLIENT_CERTIFICATE_USAGES;
    this.#send({ machine, paper, asks: 'add-on', key: machine.key }, requester, { addOn, wrong, usages });
  }

  #agent({ name, credential }: Machine): Requester {
    const extra = { [CREDENTIAL_EXTRA]: [credential?.id ?? ''] };
    return { username: agentUser(this.#cluster, name), groups: agentGroups(this.#cluster), extra };
  }

  #send(open: Open, requester: Requester, { addOn, wrong, usages = CLIENT_CERTIFICATE_USAGES }: Particulars = {}): void {
    const { api, random, person } = this.#context;
    const name = `${this.#cluster}-${open.machine.name}-${api.revision}`;
    const labels = { [CLUSTER_NAME_LABEL]: this.#cluster, ...(addOn === undefined ? {} : { [ADDON_NAME_LABEL]: addOn }) };
    const annotations = { [MACHINE]: open.machine.name, [ASKS]: open.asks, ...(wrong === undefined ? {} : { [WRONG]: wrong }) };
    const expirationSeconds = this.#isCalm ? CALM_LIFETIME_SECONDS : random.pick(LIFETIMES_SECONDS);
    const request: CertificateSigningRequest = {
      apiVersion: apiVersionOf(certificateSigningRequests),
      kind: certificateSigningRequests.kind,
      metadata: { name, labels, annotations },
      spec: { request: open.paper.request, signerName: KUBE_CLIENT_SIGNER, usages, expirationSeconds, ...requester },
    };
    this.#open.set(name, open);
    person(() => api.create({ name: `machine of ${this.#cluster}` }, certificateSigningRequests, request));
  }

  #noticeRequest({ metadata, spec, status }: CertificateSigningRequest): void {
    const open = this.#open.get(metadata.name ?? '');
    if (!open || status?.certificate !== undefined) return;
    const has = (type: string): boolean => (status?.conditions ?? []).some((condition) => condition.type === type);
    if (has('Approved')) {
      this.#open.delete(metadata.name ?? '');
      this.#context.agenda.after(SIGN_MS, () => this.#sign(metadata.name ?? '', open, spec.expirationSeconds ?? 0));
    } else if (has('Denied')) {
      this.#open.delete(metadata.name ?? '');
      if (open.asks !== 'add-on' && metadata.annotations?.[WRONG] === undefined) open.machine.isAsking = false;
      // An agent whose renewal is denied joins again, with its join token.
      if (open.asks === 'renew' && open.machine === this.#active) this.#soon(() => this.#rejoin(open.machine));
    }
  }

  #rejoin(machine: Machine): void {
    if (machine === this.#active && this.#context.api.find(managedClusters, { name: this.#cluster })) this.#join(machine);
  }

  /** Writes the certificate as the signer of the API server does, and gives it to the machine that asked for it. */
  #sign(name: string, { machine, paper, asks, key }: Open, seconds: number): void {
    const { api, agenda } = this.#context;
    const endsAt = Math.floor(agenda.now / 1000 + seconds) * 1000;
    const { certificate, credentialId } = issue(paper, api.revision, endsAt);
    api.patch({ name: 'signer' }, certificateSigningRequests, { name }, { status: { certificate } }, { subresource: 'status' });
    if (asks === 'add-on') return;
    machine.isAsking = false;
    machine.key = key;
    machine.credential = { id: credentialId, endsAt };
    if (asks === 'join' || this.#isCalm) machine.asked.clear();
    if (asks === 'join') {
      this.holder = machine;
      this.#active = machine;
      this.#context.joined(this.#cluster);
    }
    this.#planRenewal(machine);
    this.#askForAddOns();
    // The request was sent before the end of the run began, so its certificate has a short lifetime. Renew it now, so that it is not
    // renewed while the simulator checks that the hub is settled.
    if (this.#isCalm && seconds < CALM_LIFETIME_SECONDS) this.refresh();
  }

  #planRenewal(machine: Machine): void {
    const { credential } = machine;
    const { agenda } = this.#context;
    if (!credential) return;
    agenda.at(agenda.now + (credential.endsAt - agenda.now) * RENEW_AT, () => {
      if (machine === this.#active && machine.credential === credential) this.refresh();
    });
  }

  #soon(act: () => void): void {
    this.#context.agenda.after(1 + this.#context.random.below(20), act);
  }
}

type WrongRequest = Extract<RegistrationStep, { readonly do: 'wrong request' }>['wrong'];
type Requester = Pick<CertificateSigningRequest['spec'], 'username' | 'groups' | 'extra'>;

interface Particulars {
  readonly addOn?: string;
  readonly wrong?: WrongRequest;
  readonly usages?: readonly string[];
}

/** Returns the identity of the holder of a cluster's join token. */
function tokenHolder(cluster: ClusterName): Requester {
  return { username: serviceAccountUser(JOIN_NAMESPACE, cluster), groups: [JOIN_GROUP, AUTHENTICATED] };
}

function agentGroups(cluster: ClusterName): readonly string[] {
  return [clusterAgentGroup(cluster), ALL_CLUSTER_AGENTS_GROUP, AUTHENTICATED];
}
