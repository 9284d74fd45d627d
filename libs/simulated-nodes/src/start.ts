import type { Node, Pod } from '@apichain/api/core/v1';
import { type ResourceReference, type RestClient, SharedInformers } from '@apichain/client';
import { currentActivity, untilAborted } from '@apichain/meta';
import { NodeRegistration } from './nodes/registration.ts';
import { Nodes } from './nodes/nodes.ts';
import { Leases } from './nodes/leases.ts';
import { nodeStages, podStages } from './stages/default-stages.ts';
import type { NodeSpec } from './nodes/node-spec.ts';
import { errorText, type Logger, OnceLogger, silentLogger } from './log.ts';
import type { Actors } from './stages/actors.ts';
import type { CompiledStage, StageKind } from './stages/compile.ts';
import { compileStages, withDefaults } from './stages/load.ts';
import { OtherKinds } from './stages/other-kinds.ts';
import { StagePlayer } from './stages/player.ts';
import type { MetricsServing } from './metrics/serving.ts';
import type { RunningTlsServer, TlsServing } from './tls-server.ts';

/** What to simulate, and with which clients. */
export interface SimulatedNodesOptions {
  /** An administrator: reads nodes and pods, and plays the stages of other kinds. */
  readonly client: RestClient;
  /** The client of another user: the kubelets are `system:node:NAME` in the group `system:nodes`. Default: `client` for everyone. */
  readonly connectAs?: (username: string, groups: readonly string[]) => RestClient;
  /** Stops everything when aborted. */
  readonly signal: AbortSignal;
  readonly log?: Logger;
  /** The nodes to register: their number, or each by name. Nodes with the label `simulate.apichain.dev/simulated: "true"` are simulated as well. */
  readonly nodes: number | readonly NodeSpec[];
  /** Stages beside the default ones. One with the name of a default stage takes its place. A stage that does not compile is left out, with a line in the log. */
  readonly stages?: readonly unknown[];
  /** How the kubelets serve logs and streams. Without it they do not listen. */
  readonly kubelet?: TlsServing;
  /** How the metrics of nodes and pods are served, for `kubectl top` and horizontal autoscaling. Without it there are none. */
  readonly metrics?: MetricsServing;
  /** The informers of other components of the same process, for nodes and pods. Default: own ones. */
  readonly informers?: SharedInformers;
  /** The duration of the leases of nodes, which are renewed at a quarter of it. Default: 40, as kubelets have. 0 = no leases. */
  readonly leaseDurationSeconds?: number;
}

/** A simulated node. */
export interface SimulatedNode {
  /** Stops its kubelet: lease, status, pods and streams stay as they are. */
  down(): void;
  /** Starts it again. */
  up(): void;
}

/** Running simulated nodes. */
export interface SimulatedNodes {
  /** Resolves when the nodes are registered and the caches are in sync. Rejects when the kubelets or the metrics cannot be served. */
  readonly synced: Promise<void>;
  /** Resolves when everything has stopped after the signal. */
  readonly stopped: Promise<void>;
  /** A node by name. Throws Error if it is not simulated. */
  node(name: string): SimulatedNode;
}

const nodesRef: ResourceReference<Node> = { group: '', version: 'v1', resource: 'nodes' };
const podsRef: ResourceReference<Pod> = { group: '', version: 'v1', resource: 'pods' };

/** Writes at a time: the server works through as many requests in one turn of the event loop. */
const workers = 32;

/** Starts simulated nodes. */
export function startSimulatedNodes(options: SimulatedNodesOptions): SimulatedNodes {
  const { client, signal, connectAs = () => client, log = silentLogger } = options;
  const own = options.informers === undefined;
  const informers =
    options.informers ??
    new SharedInformers({
      client,
      onError: ({ resource }, error) => log.error('watch failed', { resource, error: errorText(error) }),
    });
  const given = compileStages(options.stages ?? [], log);
  const nodes = new Nodes({
    nodes: informers.informer(nodesRef),
    pods: informers.informer(podsRef),
    clientOf: (name) => connectAs(`system:node:${name}`, ['system:nodes', 'system:authenticated']),
    log: new OnceLogger(log),
    signal,
    skipsOutdated: given.every((stage) => kindOf(stage) !== 'v1/Pod'),
  });
  const leaseSeconds = options.leaseDurationSeconds ?? 40;
  const leases = new Leases((name) => nodes.leaseHolder(name), leaseSeconds, log);
  if (leaseSeconds > 0) nodes.onUp = (name) => leases.hold(name);
  const as = (username: string): RestClient => connectAs(username, ['system:authenticated']);
  const byKind = Map.groupBy(withDefaults(given, [...podStages, ...nodeStages]), kindOf);
  const player = (resource: ResourceReference, mine: readonly CompiledStage[], actors: Actors) =>
    new StagePlayer({
      resource,
      informer: informers.informer(resource),
      stages: mine,
      actors,
      log,
      signal,
      workers,
    });
  const podPlayer = player(podsRef, byKind.get('v1/Pod') ?? [], nodes.podActors(as));
  const nodePlayer = player(nodesRef, byKind.get('v1/Node') ?? [], nodes.nodeActors(as));
  nodes.onChange = (key, kind) => (kind === 'pod' ? podPlayer : nodePlayer).revisit(key);
  const registration = new NodeRegistration(nodes, options.nodes, log);
  const others = new OtherKinds({ client, informers, as, log, signal, player });
  for (const [kind, mine] of byKind) if (kind !== 'v1/Pod' && kind !== 'v1/Node') others.add(mine);
  let server: RunningTlsServer | undefined;
  let metrics: RunningTlsServer | undefined;

  const begin = async (): Promise<void> => {
    const listening = currentActivity()?.begin('the start of the kubelets');
    await listen().finally(listening);
    const [version] = await Promise.all([versionOf(client), measure()]);
    if (signal.aborted) return;
    nodes.start({ version, address: options.kubelet?.address ?? '127.0.0.1', port: server?.port ?? 0 });
  };
  const listen = async (): Promise<void> => {
    if (options.kubelet === undefined) return;
    const { serveKubelets } = await import('./kubelet/server.ts');
    server = await serveKubelets(options.kubelet, nodes, signal);
  };
  const measure = async (): Promise<void> => {
    if (options.metrics === undefined) return;
    const { registerMetrics, serveMetrics } = await import('./metrics/server.ts');
    metrics = await serveMetrics(options.metrics, nodes, signal);
    await registerMetrics(client, options.metrics, metrics.port);
  };
  const begun = begin();
  const running = begun.then(
    () =>
      Promise.all([
        podPlayer.run(),
        nodePlayer.run(),
        leases.run(signal, workers),
        registration.run(signal, workers),
        others.run(),
        untilAborted(signal).then(() => (own ? informers.stop() : undefined)),
      ]),
    () => undefined,
  );
  return {
    synced: begun.then(() => Promise.all([nodes.synced(), registration.done])).then(() => undefined),
    stopped: running.then(() => Promise.all([server?.stopped, metrics?.stopped])).then(() => undefined),
    node: (name) => nodes.control(name),
  };
}

const kindOf = ({ apiVersion, kind }: StageKind): string => `${apiVersion}/${kind}`;

async function versionOf(client: RestClient): Promise<string> {
  const { gitVersion = 'v1.36.0' } = (await client.request('GET', '/version')) as { gitVersion?: string };
  return gitVersion;
}
