import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import type { Recording } from '../../comparison/recording.ts';
import { get } from '../../servers/get.ts';
import { waitFor } from '../../servers/process.ts';
import type { Cluster } from './cluster.ts';
import { normalise } from './facts.ts';
import { deploymentIn, manifestsIn, outsideOfCluster } from './manifests.ts';
import { configMap, namespaceObject, service, type TypedObject, workload } from './objects.ts';
import { ControllerSession, type Step } from './session.ts';

const namespace = 'measured';

/** kube-state-metrics with all its collectors: which metrics it serves of the objects that are there, and how it follows changes. */
export class KubeStateMetrics extends ControllerSession {
  readonly name = 'kube-state-metrics';
  readonly #file: string;
  readonly #tree: string;
  #url = '';

  constructor(cluster: Cluster, file: string, tree: string) {
    super(cluster);
    this.#file = file;
    this.#tree = tree;
  }

  async start(): Promise<void> {
    const manifests = manifestsIn(join(this.#tree, 'examples/standard'));
    const { namespace: ownNamespace, account } = deploymentIn(manifests);
    await this.cluster.apply(outsideOfCluster(manifests, new Map()));
    const { kubeconfig } = await this.cluster.account(ownNamespace, account);
    const [port, telemetryPort] = [await freePort(), await freePort()];
    this.#url = `http://127.0.0.1:${port}`;
    await this.run(
      'kube-state-metrics',
      [
        this.#file,
        `--kubeconfig=${kubeconfig}`,
        '--host=127.0.0.1',
        `--port=${port}`,
        '--telemetry-host=127.0.0.1',
        `--telemetry-port=${telemetryPort}`,
      ],
      `${this.#url}/metrics`,
    );
  }

  readonly steps: readonly Step[] = [{ name: 'use', run: (record) => this.#use(record) }];

  async #use(record: Recording): Promise<void> {
    await this.cluster.apply([namespaceObject(namespace)]);
    const rules = [{ host: 'web.example', http: { paths: [path('web')] } }];
    const objects: readonly TypedObject[] = [
      configMap('measured'),
      workload('Deployment', 'measured', { replicas: 2 }),
      workload('DaemonSet', 'measured', {}),
      service('measured', { selector: { app: 'measured' }, ports: [{ port: 80 }] }),
      of('networking.k8s.io/v1', 'Ingress', { rules }),
      of('networking.k8s.io/v1', 'NetworkPolicy', { podSelector: {} }),
      of('policy/v1', 'PodDisruptionBudget', { minAvailable: 1, selector: { matchLabels: { app: 'measured' } } }),
      of('v1', 'ResourceQuota', { hard: { pods: '20' } }),
      of('v1', 'LimitRange', { limits: [{ type: 'Container', default: { cpu: '1' } }] }),
      of('coordination.k8s.io/v1', 'Lease', { holderIdentity: 'measured' }),
    ];
    await this.cluster.apply(objects, namespace);
    await this.#until(/kube_deployment_status_replicas_available\{namespace="measured",[^}]*\} 2\n/);
    await this.#until(/kube_daemonset_status_number_available\{namespace="measured",[^}]*\} 3\n/);
    // The pods of both have the label that the Service selects.
    const endpoint = /kube_endpointslice_endpoints\{[^}]*namespace="measured",/;
    const text = await this.#until(new RegExp(`(?:[^]*?${endpoint.source}){5}`));
    const kinds = new Set([...text.matchAll(/^(kube_\w+?)(?:\{|\s)/gm)].map(([, name]) => name));
    record.text('kube-state-metrics: names of all metrics', [...kinds].toSorted().join('\n'));
    const own = text.split('\n').filter((line) => line.includes(`namespace="${namespace}"`) && !changing.test(line));
    record.text('kube-state-metrics: metrics of a namespace', normalise(own.toSorted().join('\n')));
    await this.cluster.admin.output(['scale', `--namespace=${namespace}`, 'deployment/measured', '--replicas=3']);
    await this.#until(/kube_deployment_spec_replicas\{namespace="measured",[^}]*\} 3\n/);
    await this.cluster.admin.output(['delete', `--namespace=${namespace}`, 'configmap', 'measured']);
    await this.#until(/^(?![^]*kube_configmap_info\{namespace="measured",configmap="measured"\})/);
  }

  async goOn(record: Recording): Promise<void> {
    await this.cluster.apply([configMap('afterwards')], namespace);
    const started = performance.now();
    await this.#until(/kube_configmap_info\{namespace="measured",configmap="afterwards"\} 1\n/);
    record.figure('kube-state-metrics: ms until an object after the restart is counted', performance.now() - started);
  }

  /** Waits until the text of all metrics matches. Returns it. */
  async #until(pattern: RegExp): Promise<string> {
    let text = '';
    const matches = async () => {
      ({ text } = await get(`${this.#url}/metrics`).catch(() => ({ text: '' })));
      return pattern.test(text);
    };
    await waitFor(matches, 90_000, () => `kube-state-metrics shows nothing of ${pattern}`);
    return text;
  }
}

/** Values that are times, versions or names of nodes and addresses. */
const changing =
  /_created|_start_time|_time\{|_timestamp|resource_version|_generation|ready_time|initialized_time|renew_time|scheduled_time|uid=/;

const path = (name: string) => ({
  path: '/',
  pathType: 'Prefix',
  backend: { service: { name, port: { number: 80 } } },
});

const of = (apiVersion: string, kind: string, spec: object): TypedObject =>
  ({ apiVersion, kind, metadata: { name: 'measured' }, spec }) as TypedObject;
