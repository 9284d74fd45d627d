import { internalContext } from '@apichain/apiserver';
import { behaviourOf, strategyFor, subresourceStrategyFor } from '@apichain/kinds-registry';
import {
  builtinType,
  convertFromHub,
  convertToHub,
  defaulterFor,
  storageVersion,
  tableConvertor,
  type BuiltinResource,
} from '@apichain/kinds';
import { newInvalid, type FieldError, type KubeObject } from '@apichain/meta';
import { canonicalize, decodeObject, DecodeError, type Type } from '@apichain/scheme';

const ctx = internalContext(
  { group: '', version: 'v1', resource: 'pods' },
  { verb: 'create', signal: new AbortController().signal },
);

const isKubeObject = (value: object): value is KubeObject => 'kind' in value && 'metadata' in value;

/** The steps of a write of a built-in object between its JSON and the store, without admission. */
export class WritePath {
  readonly #resource: BuiltinResource;
  readonly #type: Type;

  constructor(resource: BuiltinResource) {
    const type = builtinType(resource.info.kind);
    if (type === undefined) throw new Error(`no type of ${resource.info.plural}`);
    this.#resource = resource;
    this.#type = type;
  }

  /** Runs every step in turn. `step` is called with the name and the work of each. */
  async run(value: unknown, step: (name: string, work: () => unknown) => Promise<unknown>): Promise<void> {
    const { group, info, version } = this.#resource;
    const made: { object?: KubeObject; errors: FieldError[] } = { errors: [] };
    await step('decode', () => (made.object = this.#decode(value)));
    const { object } = made;
    if (object === undefined) return;
    await step('default', () => defaulterFor(info.kind)?.(object));
    const hub = storageVersion(group, info.plural);
    const stored = convertToHub(structuredClone(object), hub);
    const old = structuredClone(stored);
    old.metadata.uid = stored.metadata.uid = 'u';
    const strategy = strategyFor(this.#resource, this.#type, [version]);
    const errorsOf = (errors: readonly FieldError[]) => made.errors.push(...errors.slice(0, 10_000));
    const changed = structuredClone(stored);
    await step('prepare create', () => strategy.prepareForCreate?.(ctx, stored));
    await step('validate', async () => errorsOf((await strategy.validate?.(ctx, stored)) ?? []));
    await step('warn', () => strategy.warningsOnCreate?.(ctx, stored));
    await step('canonicalize strategy', () => strategy.canonicalize?.(stored));
    await step('prepare update', () => strategy.prepareForUpdate?.(ctx, changed, old));
    await step('validate update', async () => errorsOf((await strategy.validateUpdate?.(ctx, changed, old)) ?? []));
    await step('warn update', () => strategy.warningsOnUpdate?.(ctx, changed, old));
    const small = structuredClone({ ...old, spec: {}, metadata: { name: 'a', uid: 'u' } });
    const grown = structuredClone(old);
    await step('prepare update of small', () => strategy.prepareForUpdate?.(ctx, grown, small));
    await step('validate update of small', async () =>
      errorsOf((await strategy.validateUpdate?.(ctx, grown, small)) ?? []),
    );
    for (const name of Object.keys(behaviourOf(group, info.plural).subresources ?? {})) {
      const sub = subresourceStrategyFor(this.#resource, name, strategy, [version]);
      const updated = structuredClone(old);
      await step(`prepare ${name}`, () => sub?.prepareForUpdate?.(ctx, updated, old));
      await step(`validate ${name}`, async () => errorsOf((await sub?.validateUpdate?.(ctx, updated, old)) ?? []));
      await step(`validate ${name} of small`, async () =>
        errorsOf((await sub?.validateUpdate?.(ctx, updated, small)) ?? []),
      );
    }
    await step('table', () => tableConvertor(group, info.kind.kind).row(old));
    await step('from hub', () => convertFromHub(structuredClone(old), info.kind));
    await step('canonicalize', () => canonicalize(old, this.#type));
    await step('status', () => newInvalid(info.kind, 'a', made.errors));
  }

  #decode(value: unknown): KubeObject | undefined {
    try {
      const { object } = decodeObject(value, this.#type);
      return isKubeObject(object) ? object : undefined;
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  }
}
