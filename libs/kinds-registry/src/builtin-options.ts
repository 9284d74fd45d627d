import type { ServiceAccountTokenIssuer } from '@apichain/authn';
import type { OpenGate, RuntimeConfig, StorageMediaType } from '@apichain/kinds';
import type { GroupResource, GroupVersionKind } from '@apichain/meta';
import type { Storage, StorageCodec } from '@apichain/storage';
import type { AccessReviewOptions } from './access-reviews.ts';
import type { ComponentProbe } from './component-statuses.ts';
import type { Kubelets } from './connect/kubelets.ts';

/** The options for opening the store of a resource. */
interface OpenStorage {
  /** The prefix of the objects' keys, e.g. `/pods`. */
  readonly prefix: string;
  readonly codec: StorageCodec;
  readonly resource: GroupResource;
  /** The kind in the storage version. Absent = the store is not for clients. */
  readonly kind?: GroupVersionKind;
  /** Field labels that many lists and watches select by. */
  readonly indexFields: readonly string[];
}

/** The options of the built-in API: the flags of the server, and its connections. */
export interface BuiltinApiOptions extends AccessReviewOptions {
  /** Opens the store of one resource; called for every resource, so it must be cheap and lazy. */
  readonly openStorage: (options: OpenStorage) => Storage;
  /** The resources that may be served; of them, the other options choose. Default: all. */
  readonly serves?: (resource: GroupResource) => boolean;
  readonly runtimeConfig?: RuntimeConfig;
  /** Which feature gates are enabled. Default: those of the release. */
  readonly openGate?: OpenGate;
  /** The media type in which objects are stored; both are read. Default: JSON. */
  readonly storageMediaType?: StorageMediaType;
  /** `--service-cluster-ip-range`: one CIDR, or two of different families with a comma. */
  readonly serviceClusterIpRange?: string;
  /** `--service-node-port-range`, e.g. `30000-32767`. */
  readonly serviceNodePortRange?: string;
  /** Signs tokens of service accounts; undefined = `serviceaccounts/token` returns 501. */
  readonly tokenIssuer?: ServiceAccountTokenIssuer;
  /** `--allow-privileged`: containers may be privileged. Default: false. */
  readonly allowPrivileged?: boolean;
  /** `--event-ttl` in seconds. */
  readonly eventTtlSeconds?: number;
  /** The probes of `componentstatuses`, by component. */
  readonly componentProbes?: Readonly<Record<string, ComponentProbe>>;
  /** Logs a failure that is not the response to any request. */
  readonly reportFailure: (error: unknown, message: string) => void;
  /** How kubelets are reached, for the streams and logs of pods and for the node proxy. */
  readonly kubelets?: Kubelets;
}
