import { formatTime } from '@apichain/go-text';
import { randomUUID } from 'node:crypto';
import { errorMessage } from '@apichain/meta';
import type { PlainValue, ValueTransformer } from '@apichain/storage';
import { aesGcmTransformer, extendedNonceGcmTransformer } from '../ciphers/aes-gcm.ts';
import {
  dekSourceFingerprint,
  decodeEncryptedObject,
  EncryptedDEKSourceType,
  encodeEncryptedObject,
  hashIfNotEmpty,
  type DEKSource,
  type EncryptedObject,
} from './encrypted-object.ts';
import type { KmsService } from './service.ts';

/** The DEK source that writes use, and the time until which they may use it. */
export interface WriteState {
  readonly transformer: ValueTransformer;
  readonly source: DEKSource;
  readonly fingerprint: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

export interface EnvelopeOptions {
  readonly service: Pick<KmsService, 'decrypt'>;
  /** Throws Error while the plugin has never been healthy. */
  readonly state: () => WriteState;
  readonly now?: () => number;
}

/** How many DEK sources are kept decrypted. Each server start and each key rotation makes one. */
const maxTransformers = 10_000;

const rfc3339 = (milliseconds: number): string => formatTime(new Date(milliseconds));

function checkNotExpired({ expires, source }: WriteState, now: number): void {
  if (now <= expires) return;
  throw new Error(
    `encryptedDEKSource with keyID hash ${JSON.stringify(hashIfNotEmpty(source.keyID))} expired at ${rfc3339(expires)} (current time is ${rfc3339(now)})`,
  );
}

const transformerOf = (type: EncryptedDEKSourceType, key: Buffer): ValueTransformer =>
  type === EncryptedDEKSourceType.HKDF_SHA256_XNONCE_AES_GCM_SEED
    ? extendedNonceGcmTransformer(key)
    : aesGcmTransformer(key);

/** Transformers by the fingerprint of their DEK source. The least recently used one is evicted first. */
class TransformerCache {
  readonly #transformers = new Map<string, ValueTransformer>();

  get(fingerprint: string): ValueTransformer | undefined {
    const found = this.#transformers.get(fingerprint);
    if (found !== undefined) this.set(fingerprint, found);
    return found;
  }

  set(fingerprint: string, transformer: ValueTransformer): void {
    this.#transformers.delete(fingerprint);
    this.#transformers.set(fingerprint, transformer);
    const [oldest] = this.#transformers.keys();
    if (this.#transformers.size > maxTransformers && oldest !== undefined) this.#transformers.delete(oldest);
  }
}

/**
 * Stores values in envelopes: the data is encrypted with a local key (the DEK), and the plugin encrypts that key. The plugin is called only for keys
 * not seen before; values with known keys are decrypted synchronously. Source: k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2.
 */
export function envelopeTransformer({ service, state, now = Date.now }: EnvelopeOptions): ValueTransformer {
  const cache = new TransformerCache();
  const decrypting = new Map<string, Promise<ValueTransformer>>();

  const askPlugin = async (object: EncryptedObject, fingerprint: string): Promise<ValueTransformer> => {
    let key: Buffer;
    try {
      const { encryptedDEKSource: ciphertext, keyID: keyId, annotations } = object;
      key = (await service.decrypt({ ciphertext, uid: randomUUID(), keyId, annotations })).plaintext;
    } catch (error) {
      throw new Error(`failed to decrypt DEK, error: ${errorMessage(error)}`, {
        cause: error,
      });
    }
    const transformer = transformerOf(object.encryptedDEKSourceType, key);
    cache.set(fingerprint, transformer);
    return transformer;
  };
  /** Concurrent readers of one source share one call. */
  const decryptSource = (object: EncryptedObject, fingerprint: string): Promise<ValueTransformer> => {
    const running = decrypting.get(fingerprint);
    if (running !== undefined) return running;
    const started = askPlugin(object, fingerprint).finally(() => decrypting.delete(fingerprint));
    decrypting.set(fingerprint, started);
    return started;
  };

  return {
    toStorage: async (plain, authenticatedData) => {
      const current = state();
      checkNotExpired(current, now());
      cache.set(current.fingerprint, current.transformer);
      return encodeEncryptedObject(current.source, await current.transformer.toStorage(plain, authenticatedData));
    },
    fromStorage: (stored, authenticatedData) => {
      const object = decodeEncryptedObject(stored);
      const { source } = state();
      const outdated = object.keyID !== source.keyID || object.encryptedDEKSourceType !== source.encryptedDEKSourceType;
      const mark = ({ plain, stale }: PlainValue): PlainValue => ({ plain, stale: stale || outdated });
      const decrypt = (transformer: ValueTransformer) => {
        const value = transformer.fromStorage(object.encryptedData, authenticatedData);
        return value instanceof Promise ? value.then(mark) : mark(value);
      };
      const fingerprint = dekSourceFingerprint(object);
      const known = cache.get(fingerprint);
      return known === undefined ? decryptSource(object, fingerprint).then(decrypt) : decrypt(known);
    },
  };
}
