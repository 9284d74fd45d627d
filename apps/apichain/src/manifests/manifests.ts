import { setTimeout as sleep } from 'node:timers/promises';
import { discoverGroupVersion, type ResourceReference, type RestClient } from '@apichain/client';
import { isDefinition, referenceOf, waitUntilServed } from '@apichain/client/manifests';
import {
  errorMessage,
  isStatusError,
  parseGroupVersion,
  StatusError,
  type GroupKind,
  type KubeObject,
} from '@apichain/meta';
import { DeferredRestMapper } from '@apichain/rest-mapper';
import { ApplySet, type FormerMember } from './apply-set.ts';
import { displayName, oneLine, type ManifestFiles, type ManifestObject } from './manifest-files.ts';
import { manifestsUserAgent } from './user-agent.ts';

/** What became of an object. */
export type Change = 'created' | 'configured' | 'pruned';

/** Told of what happens, in the order in which it does. */
export interface ManifestReport {
  changed(name: string, change: Change): void;
  /** A line about a file, a document or an object that is not applied. */
  problem(line: string): void;
}

/** What a pass over the manifests did, in numbers of objects; `problems` are lines. */
export interface PassResult {
  readonly created: number;
  readonly configured: number;
  readonly unchanged: number;
  readonly pruned: number;
  readonly problems: number;
  /** Whether another pass may succeed though no file changes: the server could not do it now. */
  readonly mayPass: boolean;
}

const retryMs = 25;

/**
 * The objects of manifests in a chain: applied with server-side apply, and deleted when they stand in no manifest any more. Nothing is deleted while
 * there is a problem: what stands in a file that cannot be read is not known.
 */
export class Manifests {
  readonly #client: RestClient;
  readonly #files: ManifestFiles;
  readonly #settleMs: number;
  readonly #set: ApplySet;
  readonly #mapper: DeferredRestMapper;
  /** By the key of each object that was applied: its content, and the name of the object in the chain. */
  readonly #applied = new Map<string, { readonly text: string; readonly identity: string }>();
  #isOpen = false;
  /** Whether the chain may have members of the set that stand in no manifest. */
  #mayHaveFormer = true;

  /**
   * `settleMs` is how long after a definition or a namespace was written an object that is refused is tried again: servers learn of them a moment
   * later.
   */
  constructor(client: RestClient, files: ManifestFiles, settleMs: number) {
    this.#client = client;
    this.#files = files;
    this.#settleMs = settleMs;
    this.#set = new ApplySet(client);
    this.#mapper = new DeferredRestMapper({ discover: (groupVersion) => discoverGroupVersion(client, groupVersion) });
  }

  /**
   * Applies what has changed since it was applied, namespaces and definitions first, and prunes what has left. Throws the transport's error when the
   * chain does not respond.
   */
  async pass(report: ManifestReport): Promise<PassResult> {
    const pass = new Pass(report, this.#settleMs);
    const isFirst = !this.#isOpen;
    if (isFirst) await this.#set.open();
    this.#isOpen = true;
    const { objects, problems } = this.#files.read(isFirst);
    for (const problem of problems) pass.problem(problem, false);
    const keys = new Set(objects.map(({ key }) => key));
    for (const key of this.#applied.keys())
      if (!keys.has(key)) {
        this.#applied.delete(key);
        this.#mayHaveFormer = true;
      }
    const pending = objects.filter(({ key, text }) => this.#applied.get(key)?.text !== text);
    if (pending.length > 0) await this.#set.extend(objects.map(({ object }) => object));
    if (isFirst) pass.settle();
    for (const rank of [0, 1, 2])
      await this.#applyAll(
        pending.filter(({ object }) => rankOf(object) === rank),
        pass,
      );
    if (this.#mayHaveFormer && pass.count.problems === 0) await this.#prune(objects, pass);
    return { ...pass.count, mayPass: pass.mayPass };
  }

  /** Lets the next pass apply everything, because the store was reset. */
  forget(): void {
    this.#applied.clear();
    this.#isOpen = false;
    this.#mayHaveFormer = true;
  }

  async #applyAll(pending: readonly ManifestObject[], pass: Pass): Promise<void> {
    for (const each of pending) await this.#applyOrTell(each, pass);
    // All are written before the first one is waited for.
    const definitions = pending.filter(({ object, key }) => isDefinition(object) && this.#applied.has(key));
    for (const each of definitions)
      await this.#orTell(each, pass, () => waitUntilServed(this.#client, each.object)).then((isServed) => {
        if (!isServed) this.#applied.delete(each.key);
      });
    if (definitions.length === 0) return;
    this.#mapper.reset();
    pass.settle();
  }

  async #applyOrTell(each: ManifestObject, pass: Pass): Promise<void> {
    await this.#orTell(each, pass, async () => {
      const { outcome, reference } = await this.#applyInTime(each.object, pass);
      const { text, key, object } = each;
      this.#applied.set(key, { text, identity: identityOf(kindOf(object), reference, object.metadata.name) });
      if (rankOf(object) === 0 && outcome === 'created') pass.settle();
      pass.applied(displayName(object), outcome);
    });
  }

  /** Runs `action`. A refusal becomes a problem of the pass, and the result is false. */
  async #orTell({ source, object }: ManifestObject, pass: Pass, action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      if (isOfTransport(error)) throw error;
      pass.problem(`${source}: ${displayName(object)}: ${errorMessage(error)}`, isTemporary(error));
      return false;
    }
  }

  async #applyInTime(object: KubeObject, pass: Pass): Promise<AppliedObject> {
    for (;;) {
      try {
        return await this.#apply(object);
      } catch (error) {
        if (isOfTransport(error) || performance.now() > pass.settledAt) throw error;
      }
      await sleep(retryMs);
    }
  }

  async #apply(object: KubeObject): Promise<AppliedObject> {
    const reference = await referenceOf(object, this.#mapper);
    const { name = '' } = object.metadata;
    const before = await this.#revisionOf(reference, name);
    const query = { fieldManager: manifestsUserAgent, force: true, fieldValidation: 'Strict' };
    const written = await this.#client.patch(reference, name, 'apply', this.#set.member(object), { query });
    const after = written.metadata.resourceVersion;
    return { outcome: before === undefined ? 'created' : before === after ? 'unchanged' : 'configured', reference };
  }

  async #revisionOf(reference: ResourceReference, name: string): Promise<string | undefined> {
    try {
      const { metadata } = await this.#client.get(reference, name, {}, { metadataOnly: true });
      return metadata.resourceVersion;
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #prune(objects: readonly ManifestObject[], pass: Pass): Promise<void> {
    const kept = new Set([...this.#applied.values()].map(({ identity }) => identity));
    const former = await this.#set.formerMembers((kind, reference, name) =>
      kept.has(identityOf(kind, reference, name)),
    );
    for (const member of former.toSorted((a, b) => rankOf(b.object) - rankOf(a.object)))
      await this.#delete(member, pass);
    if (pass.count.problems > 0) return;
    await this.#set.shrink(objects.map(({ object }) => object));
    this.#mayHaveFormer = false;
  }

  async #delete({ object, reference }: FormerMember, pass: Pass): Promise<void> {
    const { name = '', uid } = object.metadata;
    try {
      await this.#client.delete(reference, name, { preconditions: { uid }, propagationPolicy: 'Background' });
      pass.applied(displayName(object), 'pruned');
    } catch (error) {
      if (isStatusError(error, 'NotFound') || isStatusError(error, 'Conflict')) return;
      if (isOfTransport(error)) throw error;
      pass.problem(`${displayName(object)} cannot be pruned: ${errorMessage(error)}`, isTemporary(error));
    }
  }
}

interface AppliedObject {
  readonly outcome: Change | 'unchanged';
  readonly reference: ResourceReference;
}

/** What happens in one pass. */
class Pass {
  readonly count = { created: 0, configured: 0, unchanged: 0, pruned: 0, problems: 0 };
  readonly #report: ManifestReport;
  readonly #settleMs: number;
  mayPass = false;
  /** Until then, by `performance.now()`, what is refused is tried again. */
  settledAt = 0;

  constructor(report: ManifestReport, settleMs: number) {
    this.#report = report;
    this.#settleMs = settleMs;
  }

  settle(): void {
    this.settledAt = performance.now() + this.#settleMs;
  }

  applied(name: string, outcome: Change | 'unchanged'): void {
    this.count[outcome]++;
    if (outcome !== 'unchanged') this.#report.changed(name, outcome);
  }

  problem(line: string, isTemporary: boolean): void {
    this.count.problems++;
    this.mayPass ||= isTemporary;
    this.#report.problem(oneLine(line));
  }
}

/** Namespaces are applied first, then definitions. */
const rankOf = (object: KubeObject): number =>
  object.kind === 'Namespace' && object.apiVersion === 'v1' ? 0 : isDefinition(object) ? 1 : 2;

const kindOf = ({ apiVersion, kind }: KubeObject): GroupKind => ({
  group: parseGroupVersion(apiVersion).group,
  kind,
});

const identityOf = ({ group, kind }: GroupKind, { namespace = '' }: ResourceReference, name = ''): string =>
  [group, kind, namespace, name].join('/');

/** Whether there was no response. */
const isOfTransport = (error: unknown): boolean =>
  !(error instanceof StatusError) && error instanceof Error && 'code' in error && typeof error.code === 'string';

/** Whether the server may accept the same object a moment later: it is busy, or a webhook does not respond. */
const isTemporary = (error: unknown): boolean =>
  error instanceof StatusError && (error.code >= 500 || error.code === 429);
