import { randomUUID } from 'node:crypto';
import {
  lazy,
  pause,
  receiveDocument,
  sendDocument,
  type KubeObject,
  type ManagedFieldsEntry,
  type SentDocument,
} from '@apichain/meta';
import { describe } from './description.ts';
import type { FieldManagerOptions } from './field-manager-options.ts';
import {
  resultOf,
  asError,
  asRemoteError,
  headPart,
  type ConversionOutcome,
  type FieldWorkRequest,
} from './field-work-messages.ts';
import { setObjectManagedFields } from './object-managed-fields.ts';

/**
 * Runs `computeManagedFields` in another thread, with the parts that `prepare` makes, and resolves to its result. `prepare` is called once, when the work
 * is about to begin.
 */
export type RunFieldWork = (prepare: () => Promise<readonly Uint8Array[]>) => Promise<readonly Uint8Array[]>;

/** The live object, and its JSON if that is at hand. */
export interface LiveObject {
  readonly object: KubeObject;
  /** Exactly the object. */
  readonly json?: Buffer | undefined;
}

interface RemoteOperation {
  readonly operation: FieldWorkRequest['operation'];
  readonly live: LiveObject | undefined;
  readonly object: KubeObject;
  readonly manager: string;
  readonly force: boolean;
  readonly now: number;
}

interface Conversion {
  readonly apiVersion: string;
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly outcome: ConversionOutcome;
}

/** More than any computation needs: an object has a few conversions per version. */
const maxConversions = 100;

/** The field management of one endpoint in another thread. Only encoding and reading, in slices, remain in this one. */
export class RemoteFieldWork {
  readonly #options: FieldManagerOptions;
  readonly #identity = randomUUID();
  #description: Uint8Array | undefined;

  constructor(options: FieldManagerOptions) {
    this.#options = options;
  }

  /** The object with its new entries: the live object or the written one if nothing else changed, otherwise the merged one. */
  async run(run: RunFieldWork, operation: RemoteOperation): Promise<KubeObject> {
    const documents = lazy(() => encodedDocuments(operation));
    const conversions: Conversion[] = [];
    for (;;) {
      const [head, body] = await run(async () => {
        const sent = await documents();
        await pause();
        const parts = this.#parts(operation, sent, conversions);
        // A thread may have to be started, which takes as long as a step.
        await pause();
        return parts;
      });
      const result = resultOf(head);
      if (result.kind === 'error') throw asError(result.error);
      if (result.kind === 'entries') {
        const entries = (await receiveDocument({ json: body ?? noBytes, facts: [] })) as ManagedFieldsEntry[] | null;
        const base = operation.operation === 'apply' ? operation.live?.object : undefined;
        return setObjectManagedFields(base ?? operation.object, entries ?? undefined);
      }
      const object = (await receiveDocument({ json: body ?? noBytes, facts: result.facts })) as KubeObject;
      if (result.kind === 'object') return object;
      if (conversions.length >= maxConversions) throw new Error(`too many conversions to ${result.apiVersion}`);
      conversions.push(await this.#convert(object, body ?? new Uint8Array(), result.apiVersion));
    }
  }

  #parts(operation: RemoteOperation, documents: EncodedDocuments, conversions: readonly Conversion[]): Uint8Array[] {
    const { live, object } = documents;
    const { operation: name, manager, force, now } = operation;
    const request: FieldWorkRequest = {
      identity: this.#identity,
      operation: name,
      manager,
      force,
      now,
      liveFacts: live?.facts,
      objectFacts: object.facts,
      conversions: conversions.map(({ apiVersion, outcome }) => ({ apiVersion, outcome })),
    };
    this.#description ??= describe(this.#options);
    const converted = conversions.flatMap(({ from, to }) => [from, to]);
    // What may be needed again is copied, not moved to the other thread.
    const copies = [live?.json ?? noBytes, object.json, ...converted].map((bytes) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    );
    return [headPart(request), this.#description, ...copies];
  }

  async #convert(object: KubeObject, from: Uint8Array, apiVersion: string): Promise<Conversion> {
    try {
      const converted = await this.#options.convert?.(object, apiVersion);
      const { json, facts } = await sendDocument(converted);
      return { apiVersion, from, to: json, outcome: { facts } };
    } catch (error) {
      return { apiVersion, from, to: noBytes, outcome: { error: asRemoteError(error) } };
    }
  }
}

const noBytes = Buffer.alloc(0);

interface EncodedDocuments {
  readonly live: SentDocument | undefined;
  readonly object: SentDocument;
}

async function encodedDocuments({ live, object }: RemoteOperation): Promise<EncodedDocuments> {
  const json = live?.json;
  const known = json === undefined ? undefined : { json, facts: [] };
  return { live: live && (known ?? (await sendDocument(live.object))), object: await sendDocument(object) };
}
