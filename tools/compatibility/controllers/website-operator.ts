import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@apichain/meta';
import { kinds } from 'apichain/client';
import { Website } from '../../../examples/website-operator/website.ts';
import type { Recording } from '../../comparison/recording.ts';
import { get } from '../../servers/get.ts';
import { type Anything, conditionOf } from './cluster.ts';
import { factsOf, factsOfAll, normalise } from './facts.ts';
import { type Manifest, parseManifests } from './manifests.ts';
import type { Program } from './program.ts';
import { ControllerSession, type Step } from './session.ts';

const repository = join(import.meta.dirname, '../../..');
const example = join(repository, 'examples/website-operator');
const namespace = 'websites';
const account = 'website-operator';
const websites = `/apis/example.com/v1/namespaces/${namespace}/websites`;
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/websites.example.com`;
const inNamespace = { ...Website, namespace };
const replicas = ['operator-1', 'operator-2'] as const;

type Members = { readonly [name: string]: unknown };

/** The operator of examples/website-operator in two replicas, with its rights and no others. See docs/guides/write-an-operator.md. */
export class WebsiteOperator extends ControllerSession {
  readonly name = 'website-operator';
  #kubeconfig = '';
  readonly #metrics = new Map<string, string>();

  async start(): Promise<void> {
    await this.cluster.createNamespace(namespace);
    await this.cluster.apply(manifestsOf('crd.yaml'));
    await this.cluster.until(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/websites.example.com',
      (definition) => conditionOf(definition, 'Established') === 'True',
    );
    this.#kubeconfig = (await this.cluster.account(namespace, account)).kubeconfig;
    await this.cluster.apply(rights());
    for (const name of replicas) {
      const [healthPort, metricsPort] = [await freePort(), await freePort()];
      this.#metrics.set(name, `http://127.0.0.1:${metricsPort}/metrics`);
      const program = join(import.meta.dirname, 'operator-program.ts');
      await this.run(
        name,
        [process.execPath, program, name, namespace, String(healthPort), String(metricsPort)],
        `http://127.0.0.1:${healthPort}/readyz`,
        { KUBECONFIG: this.#kubeconfig },
      );
    }
  }

  readonly steps: readonly Step[] = [
    { name: 'generated types', run: (record) => this.#generateTypes(record) },
    { name: 'reconciles', run: (record) => this.#reconciles(record) },
    { name: 'deletion', run: (record) => this.#deletes(record) },
    { name: 'metrics', run: (record) => this.#readMetrics(record) },
    { name: 'killed leader', run: (record) => this.#replaceLeader(record, 'killed', (leader) => leader.kill()) },
    { name: 'stopped leader', run: (record) => this.#replaceLeader(record, 'stopped', (leader) => leader.stop()) },
  ];

  async goOn(record: Recording): Promise<void> {
    await this.#create('afterwards', 1);
    await this.#untilReady('afterwards', 1);
    await this.cluster.client.delete(inNamespace, 'afterwards');
    await this.cluster.untilGone(`${websites}/afterwards`);
    this.#recordHosts(record, 'after the restart');
  }

  /** What `apichain generate types --server` makes of the kind is what it makes of the file of its definition. The members of a server's schema are sorted. */
  async #generateTypes(record: Recording): Promise<void> {
    const program = join(repository, 'apps/apichain/src/main.ts');
    const flags = ['--server', '--group=example.com', `--kubeconfig=${this.cluster.admin.kubeconfig}`];
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'generate', 'types', ...flags]);
    const file = readFileSync(join(example, 'website.ts'), 'utf8');
    record.text('website-operator: types of the server', stdout);
    record.text(
      'website-operator: types of the definition',
      sortedLines(stdout) === sortedLines(file) ? 'the same' : file,
    );
  }

  async #reconciles(record: Recording): Promise<void> {
    await this.#create('first', 2);
    await this.#create('second', 1);
    const created = [await this.#untilReady('first', 2), await this.#untilReady('second', 1)];
    record.text('website-operator: Websites', factsOfAll(created));
    record.text('website-operator: Deployments', factsOfAll(await this.cluster.list(deployments)));
    await this.cluster.client.patch(inNamespace, 'first', 'merge', { spec: { replicas: 3 } });
    record.text('website-operator: a changed Website', factsOf(await this.#untilReady('first', 3)));
    // Somebody else changes what the operator owns.
    await this.cluster.admin.output(['scale', `--namespace=${namespace}`, 'deployment/second', '--replicas=2']);
    const { metadata } = await this.cluster.until(
      `${deployments}/second`,
      ({ metadata: { generation = 0 }, spec }) => generation >= 3 && spec?.['replicas'] === 1,
    );
    const deleted = metadata.uid;
    await this.cluster.client.delete({ ...kinds.Deployment, namespace }, 'second');
    await this.cluster.until(`${deployments}/second`, ({ metadata: { uid } }) => uid !== deleted);
    record.text('website-operator: a Deployment that was deleted', factsOf(await this.#untilReady('second', 1)));
    const events = await this.cluster.untilAll(`/api/v1/namespaces/${namespace}/events`, (all) =>
      ['first', 'second'].every((name) => all.some((event) => aboutWebsite(event)?.name === name)),
    );
    const told = new Set(events.filter(aboutWebsite).map(eventText));
    record.text('website-operator: events', [...told].toSorted().join('\n'));
    this.#recordHosts(record, 'reconciles');
  }

  async #deletes(record: Recording): Promise<void> {
    await this.cluster.client.delete(inNamespace, 'second');
    await this.cluster.untilGone(`${websites}/second`);
    await this.cluster.untilGone(`${deployments}/second`);
    this.#recordHosts(record, 'deletion');
  }

  /** Names and labels of all metrics of the controller, and the values that do not depend on how often it had something to do. */
  async #readMetrics(record: Recording): Promise<void> {
    const leader = await this.#leader();
    for (const program of this.programs) {
      const { text } = await get(this.#metrics.get(program.name) ?? '');
      const lines = text.split('\n').filter((line) => /^(?:controller_runtime|workqueue|leader_election)_/.test(line));
      const shown = lines.map((line) => (isSteady(line) ? line : line.replace(/ \S+$/, '')));
      const role = program === leader ? 'the leader' : 'the other one';
      record.text(`website-operator: metrics of ${role}`, shown.toSorted().join('\n'));
    }
  }

  /** The leader ends, and is started again like a pod. The one that leads from then on reconciles what was created meanwhile. */
  async #replaceLeader(record: Recording, how: string, end: (leader: Program) => Promise<void>): Promise<void> {
    const before = await this.cluster.get(lease);
    const leader = await this.#leader();
    const begun = performance.now();
    await end(leader);
    await this.#create(how, 1);
    const holder = ({ spec }: Anything) => spec?.['holderIdentity'];
    const after = await this.cluster.until(lease, (object) => !['', holder(before)].includes(String(holder(object))));
    record.figure(`website-operator: ms until another one leads, ${how} leader`, performance.now() - begun);
    record.text(`website-operator: the Lease after a ${how} leader`, factsOf(withoutHolder(after)));
    record.text(`website-operator: a Website beside a ${how} leader`, factsOf(await this.#untilReady(how, 1)));
  }

  /** The program that holds the Lease. */
  async #leader(): Promise<Program> {
    const held = await this.cluster.until(
      lease,
      ({ spec }) => ![undefined, ''].includes(spec?.['holderIdentity'] as string | undefined),
    );
    const name = String(held.spec?.['holderIdentity']).replace(/_.*/, '');
    const program = this.programs.find((each) => each.name === name);
    if (program === undefined) throw new Error(`the Lease is held by ${name}`);
    return program;
  }

  async #create(name: string, count: number): Promise<void> {
    const spec = { image: 'registry.example/web:1', host: `${name}.example.com`, replicas: count };
    await this.cluster.client.create(inNamespace, {
      apiVersion: 'example.com/v1',
      kind: 'Website',
      metadata: { name },
      spec,
    });
  }

  #untilReady(name: string, count: number): Promise<Anything> {
    return this.cluster.until(
      `${websites}/${name}`,
      (website) => conditionOf(website, 'Ready') === 'True' && website.status?.['readyReplicas'] === count,
    );
  }

  /** What the operator told the name server. It may tell it several times. */
  #recordHosts(record: Recording, step: string): void {
    const lines = this.programs.flatMap(({ log }) =>
      log.split('\n').filter((line) => / is (?:known|forgotten)$/.test(line)),
    );
    record.text(`website-operator: host names, ${step}`, [...new Set(lines)].toSorted().join('\n'));
  }
}

/** The rights of the example, with its ServiceAccount in another namespace. */
const rights = (): Manifest[] =>
  manifestsOf('rights.yaml').map((manifest) =>
    'subjects' in manifest
      ? { ...manifest, subjects: [{ kind: 'ServiceAccount', namespace, name: account }] }
      : manifest,
  );

const manifestsOf = (file: string): Manifest[] => parseManifests(readFileSync(join(example, 'config', file), 'utf8'));

const sortedLines = (text: string): string => text.split('\n').toSorted().join('\n');

/** The Website that an event is about. */
function aboutWebsite(event: Anything): { readonly name?: string } | undefined {
  const { involvedObject } = event as Anything & {
    readonly involvedObject: { readonly kind: string; readonly name?: string };
  };
  return involvedObject.kind === 'Website' ? involvedObject : undefined;
}

/** How often a Website is reconciled while it is ready, and so the count of its event, depends on how far the watches are. */
function eventText(event: Anything): string {
  const {
    count: _count,
    firstTimestamp: _first,
    lastTimestamp: _last,
    metadata: _metadata,
    involvedObject,
    ...rest
  } = event as Anything & Members;
  const { resourceVersion: _version, ...object } = involvedObject as Members;
  return normalise(JSON.stringify({ ...rest, involvedObject: object }));
}

/** Which of the replicas leads is left to chance. */
const withoutHolder = (held: Anything): Anything => ({ ...held, spec: { ...held.spec, holderIdentity: 'HOLDER' } });

const isSteady = (line: string): boolean =>
  /_errors_total|leader_election|_workers|max_concurrent|_panics_total/.test(line);
