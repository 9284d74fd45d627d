import { formatTime } from '@apichain/go-text';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { asError, errorMessage } from '@apichain/meta';
import { extendedNonceGcmTransformer, seedLength } from '../ciphers/aes-gcm.ts';
import {
  dekSourceFingerprint,
  EncryptedDEKSourceType,
  hashIfNotEmpty,
  validateDEKSource,
  validateKeyID,
  type DEKSource,
} from './encrypted-object.ts';
import type { WriteState } from './envelope.ts';
import type { StatusResponse } from './generated/kms.ts';
import type { KmsService } from './service.ts';

export interface ProbeOptions {
  readonly name: string;
  readonly service: KmsService;
  readonly now?: () => number;
  /** Milliseconds between the calls of Status while the plugin is healthy, and while it is not. */
  readonly healthyIntervalMs?: number;
  readonly unhealthyIntervalMs?: number;
}

const defaultHealthyIntervalMs = 60_000;
const defaultUnhealthyIntervalMs = 10_000;
/** How long writes may use the current DEK source after the last healthy Status, in milliseconds. */
const writeTimeToLive = 3 * 60_000;
/** How long the result of a healthy check is reused, in milliseconds. */
const healthyTtl = 20_000;
const unhealthyTtl = 3_000;

interface CheckResult {
  readonly at: number;
  readonly error: Error | undefined;
}

const failureOf = async (work: () => Promise<void>): Promise<Error | undefined> =>
  work().then(() => undefined, asError);
const rfc3339 = (milliseconds: number): string =>
  milliseconds === 0 ? '0001-01-01T00:00:00Z' : formatTime(new Date(milliseconds));

/**
 * Monitors one plugin: calls Status every minute (every ten seconds while the plugin is unhealthy), and makes a new DEK seed when the plugin's key
 * changes. Source: kmsv2PluginProbe of k8s.io/apiserver/pkg/server/options/encryptionconfig.
 */
export class KmsProbe {
  readonly #name: string;
  readonly #service: KmsService;
  readonly #now: () => number;
  readonly #healthyIntervalMs: number;
  readonly #unhealthyIntervalMs: number;
  readonly #stopped = new AbortController();
  #state: WriteState | undefined;
  #version = '';
  #lastResult: CheckResult | undefined;
  #checking: Promise<Error | undefined> | undefined;

  constructor(options: ProbeOptions) {
    this.#name = options.name;
    this.#service = options.service;
    this.#now = options.now ?? Date.now;
    this.#healthyIntervalMs = options.healthyIntervalMs ?? defaultHealthyIntervalMs;
    this.#unhealthyIntervalMs = options.unhealthyIntervalMs ?? defaultUnhealthyIntervalMs;
  }

  /** Runs the first check, then repeats it in the background until `close`. Does not throw; use `check` to learn the health. */
  async start(): Promise<void> {
    const failure = await failureOf(() => this.check());
    void this.#keepChecking(failure === undefined);
  }

  close(): void {
    this.#stopped.abort();
    this.#service.close();
  }

  /** The state that writes use. Throws Error while the plugin has never been healthy. */
  currentState(): WriteState {
    if (this.#state === undefined) throw new Error('got unexpected nil transformer');
    return this.#state;
  }

  /** Throws Error with the reason when the plugin is not healthy. Calls the plugin unless a recent result can be reused. */
  async check(): Promise<void> {
    const last = this.#lastResult;
    if (last !== undefined) {
      const timeToLive = last.error === undefined ? healthyTtl : unhealthyTtl;
      if (this.#now() - last.at < timeToLive) {
        if (last.error !== undefined) throw last.error;
        return;
      }
    }
    this.#checking ??= this.#ask().finally(() => (this.#checking = undefined));
    const error = await this.#checking;
    if (error !== undefined) throw error;
  }

  async #keepChecking(healthy: boolean): Promise<void> {
    const { signal } = this.#stopped;
    for (let well = healthy; !signal.aborted;) {
      const interval = well ? this.#healthyIntervalMs : this.#unhealthyIntervalMs;
      const aborted = await failureOf(() => delay(interval, undefined, { signal, ref: false }));
      if (aborted !== undefined) return;
      well = (await failureOf(() => this.check())) === undefined;
    }
  }

  /** Runs a check and keeps its error as the result for the checks that follow. */
  async #ask(): Promise<Error | undefined> {
    const keep = (error: Error | undefined) => {
      this.#lastResult = { at: this.#now(), error };
    };
    let status: StatusResponse;
    try {
      status = await this.#service.status();
    } catch (error) {
      const cause = asError(error);
      keep(cause);
      return new Error(
        `failed to perform status section of the healthz check for KMS Provider ${this.#name}, error: ${cause.message}`,
        { cause },
      );
    }
    const errors = await this.#problemsOf(status);
    const [first] = errors;
    const text = errors.length === 1 ? first : `[${errors.join(', ')}]`;
    const error =
      first === undefined
        ? undefined
        : new Error(`kmsv2 Provider ${this.#name} is not healthy, error: ${String(text)}`);
    keep(error);
    return error;
  }

  async #problemsOf(status: StatusResponse): Promise<string[]> {
    const problems: string[] = [];
    if (status.healthz !== 'ok') problems.push(`got unexpected healthz status: ${status.healthz}`);
    if (status.version !== 'v2' && status.version !== 'v2beta1') {
      problems.push(`expected KMSv2 API version v2, got ${status.version}`);
    } else if (this.#version === '') {
      this.#version = status.version;
    } else if (this.#version !== status.version) {
      problems.push(
        `KMSv2 API version should not change after the initial status response version ${this.#version}, got ${status.version}`,
      );
    }
    try {
      validateKeyID(status.keyId);
    } catch (error) {
      const hash = JSON.stringify(hashIfNotEmpty(status.keyId));
      return [...problems, `got invalid KMSv2 KeyID hash ${hash}: ${errorMessage(error)}`];
    }
    const rotation = await failureOf(() => this.#rotateOnKeyChange(status.keyId));
    return rotation === undefined ? problems : [...problems, rotation.message];
  }

  async #rotateOnKeyChange(statusKeyID: string): Promise<void> {
    const expires = this.#now() + writeTimeToLive;
    const state = this.#state;
    if (state?.source.keyID === statusKeyID) {
      this.#state = { ...state, expires };
      return;
    }
    const uid = randomUUID();
    const made = await this.#newState(uid, expires).catch(asError);
    if (!(made instanceof Error) && made.source.keyID === statusKeyID) {
      this.#state = made;
      return;
    }
    const [errorText, encryptKeyID] = made instanceof Error ? [made.message, ''] : ['<nil>', made.source.keyID];
    const stateError = state === undefined ? 'got unexpected nil transformer' : '<nil>';
    const hash = (keyID: string) => JSON.stringify(hashIfNotEmpty(keyID));
    throw new Error(
      `failed to rotate DEK uid=${JSON.stringify(uid)}, useSeed=true, errState=${stateError}, errGen=${errorText}, ` +
        `statusKeyIDHash=${hash(statusKeyID)}, encryptKeyIDHash=${hash(encryptKeyID)}, ` +
        `stateKeyIDHash=${hash(state?.source.keyID ?? '')}, expirationTimestamp=${rfc3339(state?.expires ?? 0)}`,
    );
  }

  /** A new seed, encrypted by the plugin with its current key. */
  async #newState(uid: string, expires: number): Promise<WriteState> {
    const seed = randomBytes(seedLength);
    const encrypted = await this.#service.encrypt({ plaintext: seed, uid }).catch((error: unknown) => {
      throw new Error(`failed to encrypt DEK, error: ${errorMessage(error)}`, { cause: error });
    });
    const source: DEKSource = {
      keyID: encrypted.keyId,
      encryptedDEKSource: encrypted.ciphertext,
      annotations: encrypted.annotations,
      encryptedDEKSourceType: EncryptedDEKSourceType.HKDF_SHA256_XNONCE_AES_GCM_SEED,
    };
    validateDEKSource(source);
    return {
      transformer: extendedNonceGcmTransformer(seed),
      source,
      fingerprint: dekSourceFingerprint(source),
      expires,
    };
  }
}
