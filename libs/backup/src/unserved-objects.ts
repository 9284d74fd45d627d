import { isRecord, parseJson, text } from '@apichain/meta';
import { decodeCbor, hasProtobufMagic, looksLikeCbor, readEnvelope } from '@apichain/scheme';

/** Objects of one kind that no server of this release serves: of a removed API, or of a CustomResourceDefinition that is gone. */
export interface UnservedObjects {
  /** `policy/v1beta1 PodSecurityPolicy`, or the directory of their keys where the values do not tell it. */
  readonly kind: string;
  readonly count: number;
}

/** What API servers keep below the prefix beside objects. */
const internals: ReadonlySet<string> = new Set(['masterleases', 'peerserverleases', 'ranges']);
/** Directories that are told apart. All others are counted together. */
const mostKinds = 100;
const others = 'others';

/** Counts the values of a store that stand for no known resource. */
export class UnservedCounts {
  readonly #byDirectory = new Map<string, { readonly kind: string; count: number }>();

  /** `key` is below the prefix. */
  add(key: string, value: Buffer): void {
    const [, first = '', second = ''] = key.split('/');
    if (internals.has(first)) return;
    // A directory with dots is a group, and the next one is the resource.
    const named = first.includes('.') ? `${first}/${second}` : first;
    const directory = this.#byDirectory.has(named) || this.#byDirectory.size < mostKinds ? named : others;
    const known = this.#byDirectory.get(directory);
    if (known !== undefined) known.count += 1;
    else this.#byDirectory.set(directory, { kind: directory === others ? others : (kindOf(value) ?? named), count: 1 });
  }

  all(): readonly UnservedObjects[] {
    return [...this.#byDirectory.values()].sort((a, b) => b.count - a.count);
  }
}

/** `policy/v1beta1 PodSecurityPolicy`; undefined when the value is no object, or encrypted. */
function kindOf(value: Buffer): string | undefined {
  const { apiVersion, kind } = typeOf(value) ?? {};
  return text(apiVersion) === '' || text(kind) === '' ? undefined : `${text(apiVersion)} ${text(kind)}`;
}

function typeOf(value: Buffer): { readonly apiVersion?: unknown; readonly kind?: unknown } | undefined {
  try {
    if (hasProtobufMagic(value)) return readEnvelope(value);
    if (looksLikeCbor(value)) return record(decodeCbor(value));
    return value[0] === openingBrace ? record(parseJson(value)) : undefined;
  } catch {
    // A value that cannot be read is counted by its directory.
    return undefined;
  }
}

const record = (value: unknown) => (isRecord(value) ? value : undefined);
const openingBrace = 0x7b;
