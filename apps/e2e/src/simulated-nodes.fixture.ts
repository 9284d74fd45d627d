import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Event, Pod } from '@apichain/api/core/v1';
import { httpTransport, RestClient } from '@apichain/client';
import {
  impersonating,
  metricsHost,
  type SimulatedNodes,
  type SimulatedNodesOptions,
  startSimulatedNodes,
} from '@apichain/simulated-nodes';
import { createCA, issueClient, issueServing } from '@apichain/serving/certificates';
import { startChain, type TestChain } from '@apichain/testing';

const run = promisify(execFile);

/** A chain with simulated nodes and without a scheduler: pods name their node. */
export interface SimulatedCluster {
  readonly chain: TestChain;
  readonly client: RestClient;
  readonly nodes: SimulatedNodes;
  /** What the simulation has logged, a line each. */
  readonly log: readonly string[];
  /** Creates a pod on `node-1`. */
  createPod(name: string, spec?: object, annotations?: Readonly<Record<string, string>>): Promise<Pod>;
  pod(name: string): Promise<Pod>;
  /** Resolves when the condition holds for a pod; undefined is a pod that does not exist. Watches, so that no state is missed for long. */
  until(name: string, condition: (pod: Pod | undefined) => boolean): Promise<Pod | undefined>;
  /** The event about an object with a reason, once it is there. */
  eventOf(name: string, reason: string): Promise<Event>;
  kubectl(...args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

export const podsRef = { group: '', version: 'v1', resource: 'pods', namespace: 'default' } as const;

/** Starts both. */
export async function startSimulatedCluster(
  options: Partial<Pick<SimulatedNodesOptions, 'nodes' | 'stages'>> & { readonly crds?: readonly object[] } = {},
): Promise<SimulatedCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'apichain-simulated-'));
  const ca = await createCA('kubelet-ca');
  const serving = await issueServing(ca, 'kubelets', ['127.0.0.1']);
  const measuring = await issueServing(ca, 'metrics', [metricsHost]);
  const kubeletClient = await issueClient(ca, 'kube-apiserver');
  const file = (name: string, content: string) => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  const chain = await startChain({
    crds: options.crds ?? [],
    flags: [
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      `--kubelet-certificate-authority=${file('ca.crt', ca.certificate)}`,
      `--kubelet-client-certificate=${file('client.crt', kubeletClient.certificate)}`,
      `--kubelet-client-key=${file('client.key', kubeletClient.key)}`,
      `--proxy-client-cert-file=${join(directory, 'client.crt')}`,
      `--proxy-client-key-file=${join(directory, 'client.key')}`,
    ],
    useExistingCluster: false,
  });
  const { ca: serverCa, cert, key } = chain.admin;
  const transport = httpTransport({ url: chain.url, ca: serverCa, cert, key, connections: 64 });
  const client = new RestClient(transport);
  const stop = new AbortController();
  const log: string[] = [];
  const line = (message: string, fields?: object) => log.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const nodes = startSimulatedNodes({
    client,
    connectAs: impersonating(transport),
    signal: stop.signal,
    log: { info: line, error: line },
    nodes: options.nodes ?? 2,
    stages: options.stages ?? [],
    kubelet: { certificate: serving.certificate, key: serving.key, clientCa: ca.certificate },
    metrics: {
      certificate: measuring.certificate,
      key: measuring.key,
      caBundle: ca.certificate,
      clientCa: ca.certificate,
    },
  });
  await nodes.synced;
  const pod = (name: string) => client.get<Pod>(podsRef, name);
  return {
    chain,
    client,
    nodes,
    log,
    pod,
    createPod: (name, spec = {}, annotations = {}) =>
      client.create<Pod>(podsRef, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, annotations },
        spec: {
          nodeName: 'node-1',
          automountServiceAccountToken: false,
          containers: [{ name: 'main', image: 'nginx' }],
          ...spec,
        },
      }),
    async until(name, condition) {
      for (;;) {
        const list = await client.list<Pod>(podsRef, { fieldSelector: `metadata.name=${name}` });
        const [found] = list.items;
        if (condition(found)) return found;
        const end = new AbortController();
        const { resourceVersion } = list.metadata;
        const query = { fieldSelector: `metadata.name=${name}`, resourceVersion, timeoutSeconds: 60 };
        for await (const event of client.watch(podsRef, query, end.signal)) {
          if (event.type === 'ERROR' || event.type === 'BOOKMARK') break;
          const current = event.type === 'DELETED' ? undefined : (event.object as Pod);
          if (condition(current)) return current;
        }
      }
    },
    async eventOf(name, reason) {
      const events = { ...podsRef, resource: 'events' };
      const fieldSelector = `involvedObject.name=${name},reason=${reason}`;
      const { items, metadata } = await client.list<Event>(events, { fieldSelector });
      if (items[0] !== undefined) return items[0];
      const end = new AbortController();
      const query = { fieldSelector, resourceVersion: metadata.resourceVersion, timeoutSeconds: 60 };
      for await (const event of client.watch(events, query, end.signal))
        if (event.type === 'ADDED' || event.type === 'MODIFIED') return event.object;
      throw new Error(`there is no event ${reason} about ${name}`);
    },
    kubectl: async (...args) => (await run('kubectl', ['--kubeconfig', chain.kubeconfigFile, ...args])).stdout,
    async stop() {
      stop.abort();
      await nodes.stopped;
      await client.close();
      await chain.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
