import { setTimeout as sleep } from 'node:timers/promises';
import { Http2Target } from '../http2-target.ts';
import type { FuzzRequest } from '../request.ts';
import { Target, type Outcome } from '../target.ts';
import { registration, startExtensionServer } from './aggregated.ts';
import { Chain, type ChainOptions } from './chain.ts';
import { customDefinition } from './custom-cases.ts';
import { Neighbour } from './neighbour.ts';
import { times, withJson, type StallCase } from './stall-case.ts';
import { customResourceDefinition } from '../objects.ts';
import { forgetPeak, peakMb, residentMb } from '../../servers/processes.ts';
import type { StandIn } from '../../servers/stand-ins.ts';

/** The effect of one request on other clients and on the processes. */
export interface Measurement {
  /** The longest wait of the other client, in milliseconds. */
  readonly waitMs: number;
  /** The growth of the processes' memory at its peak, in MB. */
  readonly memoryMb: number;
  readonly outcome: Outcome;
  /** Whether a process of the chain has ended. */
  readonly ended: boolean;
}

/** The namespace of the requests. */
export const namespace = 'stalls';
const neighbourNamespace = 'neighbour';

/** A request without a response within this time counts as a timeout, even on a busy machine. The server itself ends a request after 60 s. */
const responseTimeoutMs = 90_000;
/** The largest number of requests that a case sends at once. */
const attackerConnections = 24;
/** How long it may take until custom resources are served. */
const readyMs = 60_000;
/** The amount of garbage after which the chain is replaced. */
const maxGarbageMb = 250;
const settleMs = 30;

const object = (apiVersion: string, kind: string, name: string, rest: Record<string, unknown> = {}) => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
});
const rbac = 'rbac.authorization.k8s.io';
const subject = (name: string) => [{ kind: 'User', apiGroup: rbac, name }];
const role = (name: string) => ({ apiGroup: rbac, kind: 'ClusterRole', name });
const rbacRoot = `/apis/${rbac}/v1`;

/** The users' permissions, the objects that the neighbour reads, and the definitions. */
const fixtures: readonly FuzzRequest[] = [
  ...[namespace, neighbourNamespace].flatMap((name) => [
    withJson('POST', '/api/v1/namespaces', object('v1', 'Namespace', name)),
    withJson('POST', `/api/v1/namespaces/${name}/configmaps`, object('v1', 'ConfigMap', 'mine', { data: { a: 'b' } })),
    withJson('POST', `/api/v1/namespaces/${name}/serviceaccounts`, object('v1', 'ServiceAccount', 'default')),
  ]),
  ...['attacker', 'neighbour'].map((user) =>
    withJson('POST', `${rbacRoot}/clusterrolebindings`, {
      ...object(`${rbac}/v1`, 'ClusterRoleBinding', user),
      roleRef: role('cluster-admin'),
      subjects: subject(user),
    }),
  ),
  // The rules of the role `admin` are aggregated by a controller, and no controller runs here.
  withJson('POST', `${rbacRoot}/clusterroles`, {
    ...object(`${rbac}/v1`, 'ClusterRole', 'tenant'),
    rules: [
      {
        apiGroups: ['', rbac],
        resources: ['configmaps', 'pods', 'roles', 'rolebindings', 'serviceaccounts/token'],
        verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
      },
    ],
  }),
  withJson('POST', `${rbacRoot}/namespaces/${namespace}/rolebindings`, {
    ...object(`${rbac}/v1`, 'RoleBinding', 'tenant'),
    roleRef: role('tenant'),
    subjects: subject('tenant'),
  }),
  ...[customResourceDefinition, customDefinition].map((definition) =>
    withJson('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition),
  ),
];

const neighbourPaths = [
  `/api/v1/namespaces/${neighbourNamespace}/configmaps/mine`,
  `/apis/stalls.example.com/v1/namespaces/${neighbourNamespace}/stalls/mine`,
];

/** The chain under measurement. It is replaced by a new one when it has ended, hangs, or holds much garbage. */
export class Bench {
  readonly #options: ChainOptions;
  #chain: Chain | undefined;
  #neighbour: Neighbour | undefined;
  #attacker: { readonly http1: Target; readonly http2: Http2Target } | undefined;
  #extension: StandIn | undefined;
  #idleMb = 0;

  constructor(options: ChainOptions) {
    this.#options = options;
  }

  async measure(stallCase: StallCase, size: number): Promise<Measurement> {
    const chain = await this.#fresh();
    const { stored, afterwards, workMs = settleMs, parallel = 1, unread = false, forget } = stallCase;
    const over = stallCase.http2 === true ? this.#attacker?.http2 : this.#attacker?.http1;
    if (over === undefined) throw new Error('no chain is there');
    const needed = stored?.(size) ?? [];
    const request = stallCase.request(size);
    for (const each of needed) await this.#send(each);
    if (needed.length > 0) await sleep(workMs);
    const before = memory(chain);
    for (const pid of chain.pids) forgetPeak(pid);
    await this.#neighbour?.begin();
    await sleep(settleMs);
    const outcomes = await Promise.all(times(parallel, () => over.send(request, unread)));
    const outcome = outcomes.find(({ kind }) => kind !== 'response') ?? outcomes[0] ?? { kind: 'timeout' };
    await sleep(workMs);
    for (const next of afterwards?.() ?? []) await this.#send(next);
    if (afterwards !== undefined) await sleep(workMs);
    const waits = await this.#neighbour?.end();
    const ended = !chain.running || (waits?.succeeded ?? 0) === 0;
    const peak = chain.running ? peakMb(chain.pids) : before;
    if (outcome.kind === 'timeout' || ended) await this.#abandon();
    else if (forget !== undefined) await this.#send(forget);
    return { waitMs: waits?.longest ?? 0, memoryMb: peak - before, outcome, ended };
  }

  async stop(): Promise<void> {
    await this.#neighbour?.stop();
    this.#attacker?.http1.close();
    this.#attacker?.http2.close();
    await this.#extension?.close();
    await this.#chain?.stop();
    this.#neighbour = this.#attacker = this.#chain = this.#extension = undefined;
  }

  /** A blocked chain does not react to SIGTERM. */
  async #abandon(): Promise<void> {
    this.#chain?.kill();
    await this.stop();
  }

  async #send(request: FuzzRequest): Promise<Outcome> {
    if (this.#attacker === undefined) throw new Error('no chain is there');
    return this.#attacker.http1.send(request);
  }

  async #fresh(): Promise<Chain> {
    if (this.#chain?.running === true && memory(this.#chain) < this.#idleMb + maxGarbageMb) return this.#chain;
    await this.stop();
    const chain = await Chain.start(this.#options);
    this.#chain = chain;
    this.#extension = await startExtensionServer(chain.certificate);
    const admin = new Target(chain.target('admin', responseTimeoutMs));
    for (const request of [...fixtures, ...registration(this.#extension.port)]) {
      const made = await admin.send(request);
      if (made.kind !== 'response' || (made.status !== 201 && made.status !== 409))
        throw new Error(`${request.method} ${request.path}: ${JSON.stringify(made)}`);
    }
    const stalls = `/apis/stalls.example.com/v1/namespaces/${neighbourNamespace}/stalls`;
    const mine = withJson('POST', stalls, object('stalls.example.com/v1', 'Stall', 'mine'));
    for (const end = Date.now() + readyMs; ; await sleep(100)) {
      const made = await admin.send(mine);
      if (made.kind === 'response' && (made.status === 201 || made.status === 409)) break;
      if (Date.now() > end) throw new Error(`custom resources are not served: ${JSON.stringify(made)}`);
    }
    admin.close();
    const attacker = { ...chain.target('attacker', responseTimeoutMs), connections: attackerConnections };
    this.#attacker = { http1: new Target(attacker), http2: new Http2Target(attacker) };
    const target = chain.target('neighbour', responseTimeoutMs);
    this.#neighbour = new Neighbour({ target, paths: neighbourPaths, pids: chain.pids });
    await this.#neighbour.begin();
    await sleep(300);
    this.#idleMb = memory(chain);
    return chain;
  }
}

const memory = (chain: Chain): number => residentMb(chain.pids);
