import { join } from 'node:path';
import { errorMessage, freePort } from '@apichain/meta';
import { createCA } from '@apichain/serving/certificates';
import type { Recording } from '../../comparison/recording.ts';
import { type Anything, type Cluster, conditionOf } from './cluster.ts';
import { factsOf, normalise } from './facts.ts';
import { base64, deploymentIn, manifestsIn, outsideOfCluster, servingFolder, type Manifest } from './manifests.ts';
import { namespaceObject, type TypedObject } from './objects.ts';
import { ControllerSession, type Step } from './session.ts';

const namespace = 'monitoring';
const group = 'monitoring.coreos.com';
const webhookService = 'prometheus-operator-admission-webhook';
const monitoringPath = (version: string, resource: string) =>
  `/apis/${group}/${version}/namespaces/${namespace}/${resource}`;
const setPath = (name: string) => `/apis/apps/v1/namespaces/${namespace}/statefulsets/${name}`;

/** prometheus-operator and its webhook server: CRDs of megabytes, StatefulSets of custom resources, validation, mutation and conversion. */
export class PrometheusOperator extends ControllerSession {
  readonly name = 'prometheus-operator';
  readonly #files: { readonly operator: string; readonly webhook: string };
  readonly #tree: string;

  constructor(cluster: Cluster, files: { readonly operator: string; readonly webhook: string }, tree: string) {
    super(cluster);
    this.#files = files;
    this.#tree = tree;
  }

  async start(): Promise<void> {
    const ca = await createCA('prometheus-operator');
    const webhookPort = await freePort();
    const service = { port: webhookPort, caBundle: base64(ca.certificate) };
    await this.#startWebhook(await servingFolder(this.cluster, ca, webhookService, 'default'), webhookPort);
    const crds = manifestsIn(join(this.#tree, 'example/prometheus-operator-crd-full'));
    await this.cluster.apply([localService(), ...crds.map((crd) => withConversion(crd, service))]);
    for (const { metadata } of crds)
      await this.cluster.until(
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`,
        (crd) => conditionOf(crd, 'Established') === 'True',
      );
    await this.cluster.apply(webhooks(service));
    await this.#startOperator();
  }

  readonly steps: readonly Step[] = [{ name: 'use', run: (record) => this.#use(record) }];

  async #use(record: Recording): Promise<void> {
    await this.cluster.apply([namespaceObject(namespace)]);
    await this.cluster.apply(instances, namespace);
    await this.#reconciled('prometheuses/main');
    await this.#reconciled('alertmanagers/main');
    for (const name of ['prometheus-main', 'alertmanager-main']) {
      const set = await this.cluster.until(setPath(name), ({ status }) => status?.['readyReplicas'] === 2);
      record.text(`prometheus-operator: StatefulSet ${name}`, factsOf(set));
    }
    record.text('prometheus-operator: status of Prometheus', statusOf(await this.#reconciled('prometheuses/main')));
    await this.#rules(record);
    await this.#conversion(record);
    const scale = { spec: { replicas: 1 } };
    await this.cluster.admin.output([
      'patch',
      `--namespace=${namespace}`,
      'prometheus',
      'main',
      '--type=merge',
      `--patch=${JSON.stringify(scale)}`,
    ]);
    await this.cluster.until(setPath('prometheus-main'), ({ status }) => status?.['replicas'] === 1);
  }

  async goOn(): Promise<void> {
    const another = { ...instances[1], metadata: { name: 'another' } } as TypedObject;
    await this.cluster.apply([another], namespace);
    await this.cluster.until(setPath('alertmanager-another'), ({ status }) => status?.['readyReplicas'] === 2);
  }

  async #startWebhook(certificates: string, port: number): Promise<void> {
    await this.run(
      webhookService,
      [
        this.#files.webhook,
        `--web.listen-address=127.0.0.1:${port}`,
        `--web.cert-file=${certificates}/tls.crt`,
        `--web.key-file=${certificates}/tls.key`,
      ],
      `https://127.0.0.1:${port}/healthz`,
    );
  }

  async #startOperator(): Promise<void> {
    const manifests = manifestsIn(join(this.#tree, 'example/rbac/prometheus-operator'));
    const { namespace: ownNamespace, account, args } = deploymentIn(manifests);
    await this.cluster.apply(outsideOfCluster(manifests, new Map()).filter(({ kind }) => kind !== 'ServiceMonitor'));
    const { kubeconfig } = await this.cluster.account(ownNamespace, account);
    const port = await freePort();
    await this.run(
      'prometheus-operator',
      [this.#files.operator, ...args, `--web.listen-address=127.0.0.1:${port}`],
      `http://127.0.0.1:${port}/metrics`,
      { KUBECONFIG: kubeconfig },
    );
  }

  #reconciled(path: string): Promise<Anything> {
    return this.cluster.until(
      monitoringPath('v1', path),
      (object) => conditionOf(object, 'Reconciled') === 'True' && conditionOf(object, 'Available') === 'True',
    );
  }

  /** A rule becomes a file in a ConfigMap. The webhook server changes one member, and refuses what is no PromQL. */
  async #rules(record: Recording): Promise<void> {
    const rule = (name: string, expr: string | number) => ({
      apiVersion: `${group}/v1`,
      kind: 'PrometheusRule',
      metadata: { name, namespace, labels: { prometheus: 'main' } },
      spec: { groups: [{ name: 'test', rules: [{ alert: 'Down', expr, for: '1m', labels: { severity: 'high' } }] }] },
    });
    await this.cluster.apply([rule('good', 'up == 0')]);
    const created = await this.cluster.get(monitoringPath('v1', 'prometheusrules/good'));
    record.text('prometheus-operator: PrometheusRule', factsOf(created));
    const refused = await this.cluster.apply([rule('bad', 'up ==')]).then(
      () => 'accepted',
      (error: unknown) => errorMessage(error),
    );
    record.text('prometheus-operator: refused PrometheusRule', normalise(refused));
    const map = await this.cluster.until(
      `/api/v1/namespaces/${namespace}/configmaps/prometheus-main-rulefiles-0`,
      (object) => JSON.stringify(object).includes('up == 0'),
    );
    record.text('prometheus-operator: ConfigMap of rules', factsOf(map));
  }

  /** Written in v1alpha1 and read in v1beta1. */
  async #conversion(record: Recording): Promise<void> {
    await this.cluster.apply([
      {
        apiVersion: `${group}/v1alpha1`,
        kind: 'AlertmanagerConfig',
        metadata: { name: 'routes', namespace },
        spec: {
          route: { receiver: 'nobody', matchers: [{ name: 'severity', value: 'high', regex: false }] },
          receivers: [{ name: 'nobody' }],
          muteTimeIntervals: [{ name: 'night', timeIntervals: [{ weekdays: ['saturday'] }] }],
        },
      },
    ]);
    for (const version of ['v1alpha1', 'v1beta1'])
      record.text(
        `prometheus-operator: AlertmanagerConfig in ${version}`,
        factsOf(await this.cluster.get(monitoringPath(version, 'alertmanagerconfigs/routes'))),
      );
  }
}

interface Service {
  readonly port: number;
  readonly caBundle: string;
}

const statusOf = ({ status = {} }: Anything): string => factsOf({ apiVersion: '', kind: '', metadata: {}, status });

const localService = () => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: webhookService, namespace: 'default' },
  spec: { type: 'ExternalName', externalName: '127.0.0.1' },
});

const clientConfigOf = (path: string, { port, caBundle }: Service) => ({
  service: { name: webhookService, namespace: 'default', path, port },
  caBundle,
});

function withConversion(crd: Manifest, service: Service): Manifest {
  if (crd.metadata.name !== `alertmanagerconfigs.${group}`) return crd;
  const webhook = {
    clientConfig: clientConfigOf('/convert', service),
    conversionReviewVersions: ['v1beta1', 'v1alpha1'],
  };
  const spec = crd['spec'] as { readonly versions: readonly unknown[] };
  return { ...crd, spec: { ...spec, conversion: { strategy: 'Webhook', webhook } } };
}

function webhooks(service: Service): object[] {
  const of = (kind: string, path: string, resource: string, apiVersions: readonly string[]) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: `${resource}-${kind.toLowerCase().slice(0, 6)}` },
    webhooks: [
      {
        name: `${kind.toLowerCase().slice(0, 6)}.${resource}.${group}`,
        clientConfig: clientConfigOf(path, service),
        rules: [{ apiGroups: [group], apiVersions, operations: ['CREATE', 'UPDATE'], resources: [resource] }],
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
      },
    ],
  });
  return [
    of('MutatingWebhookConfiguration', '/admission-prometheusrules/mutate', 'prometheusrules', ['*']),
    of('ValidatingWebhookConfiguration', '/admission-prometheusrules/validate', 'prometheusrules', ['*']),
    of('ValidatingWebhookConfiguration', '/admission-alertmanagerconfigs/validate', 'alertmanagerconfigs', [
      'v1alpha1',
    ]),
  ];
}

const instances: readonly TypedObject[] = [
  {
    apiVersion: `${group}/v1`,
    kind: 'Prometheus',
    metadata: { name: 'main' },
    spec: {
      replicas: 2,
      version: 'v3.7.0',
      serviceMonitorSelector: {},
      ruleSelector: { matchLabels: { prometheus: 'main' } },
    },
  } as TypedObject,
  {
    apiVersion: `${group}/v1`,
    kind: 'Alertmanager',
    metadata: { name: 'main' },
    spec: { replicas: 2 },
  } as TypedObject,
  {
    apiVersion: `${group}/v1`,
    kind: 'ServiceMonitor',
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } }, endpoints: [{ port: 'http', interval: '30s' }] },
  } as TypedObject,
];
