import type { CustomResourceDefinition } from '@apichain/api/apiextensions/v1';
import {
  discoverGroupVersion,
  EventRecorder,
  objectKey,
  type ResourceReference,
  type RestClient,
  runUntilAborted,
  type SharedInformers,
  WorkQueue,
} from '@apichain/client';
import { findCondition, parseGroupVersion } from '@apichain/meta';
import { errorText, type Logger } from '../log.ts';
import type { Actor, Actors } from './actors.ts';
import type { CompiledStage } from './compile.ts';
import type { StagePlayer } from './player.ts';

/** What the stages of other kinds than Pod and Node are played with. */
interface OtherKindsParts {
  readonly client: RestClient;
  readonly informers: SharedInformers;
  readonly as: Actors['as'];
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly player: (resource: ResourceReference, stages: readonly CompiledStage[], actors: Actors) => StagePlayer;
}

const crds: ResourceReference<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};

/** Plays the stages of any kind that the server serves. A kind that is not served yet is played once its CustomResourceDefinition is there. */
export class OtherKinds {
  readonly #parts: OtherKindsParts;
  readonly #actor: Actor;
  readonly #missing = new Map<string, readonly CompiledStage[]>();
  readonly #established = new Set<string>();
  readonly #queue = new WorkQueue({ baseDelayMs: 20, maxDelayMs: 10_000 });
  readonly #running: Promise<void>[] = [];

  constructor(parts: OtherKindsParts) {
    const { client, signal, log } = parts;
    this.#parts = parts;
    const recorder = new EventRecorder({
      client,
      component: 'simulated-nodes',
      signal,
      onError: (error) => log.error('event not written', { error: errorText(error) }),
    });
    this.#actor = {
      client,
      record: (object, { type, reason, message }) => recorder.event(object, type, reason, message),
      variables: () => ({}),
    };
  }

  /** Adds the stages of one kind. */
  add(stages: readonly CompiledStage[]): void {
    const [first] = stages;
    if (first !== undefined) this.#missing.set(`${first.apiVersion}/${first.kind}`, stages);
  }

  /** Resolves when everything has stopped after the signal. */
  async run(): Promise<void> {
    if (this.#missing.size === 0) return;
    const { informers, signal, log } = this.#parts;
    for (const kind of this.#missing.keys()) this.#queue.add(kind);
    const look = (crd: CustomResourceDefinition) => this.#look(crd);
    informers.informer(crds).addHandlers({ onAdd: look, onUpdate: look }).start();
    await runUntilAborted(signal, {
      queue: this.#queue,
      workers: 1,
      reconcile: (kind) => this.#find(kind),
      onError: (kind, error) => log.error('kind not found, will be searched again', { kind, error: errorText(error) }),
    });
    await Promise.all(this.#running);
  }

  /** Searches for a missing kind that a CustomResourceDefinition has established. */
  #look({ spec = {}, status }: CustomResourceDefinition): void {
    if (findCondition(status?.conditions, 'Established')?.status !== 'True') return;
    for (const { name = '' } of spec.versions ?? []) {
      const key = `${spec.group ?? ''}/${name}/${spec.names?.kind ?? ''}`;
      if (!this.#missing.has(key)) continue;
      this.#established.add(key);
      this.#queue.add(key);
    }
  }

  /** Throws Error for a kind that is established, but not served yet. */
  async #find(key: string): Promise<void> {
    const stages = this.#missing.get(key);
    const [first] = stages ?? [];
    if (stages === undefined || first === undefined) return;
    const mappings = await discoverGroupVersion(this.#parts.client, parseGroupVersion(first.apiVersion));
    const mapping = mappings.find(({ kind }) => kind === first.kind);
    if (mapping === undefined) {
      if (this.#established.has(key)) throw new Error('it is established, but not served');
      return;
    }
    this.#missing.delete(key);
    this.#play({ group: mapping.group, version: mapping.version, resource: mapping.resource }, stages);
  }

  #play(resource: ResourceReference, stages: readonly CompiledStage[]): void {
    const { player, as, informers } = this.#parts;
    const playing = player(resource, stages, { of: () => this.#actor, as });
    const informer = informers.informer(resource);
    for (const object of informer.list()) playing.revisit(objectKey(object));
    informer.start();
    this.#running.push(playing.run());
  }
}
