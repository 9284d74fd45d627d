import type { ServiceAccountTokenIssuer } from '@apichain/authn';
import type { OpenGate, RuntimeConfig, StorageMediaType } from '@apichain/kinds';
import type { Storage } from '@apichain/storage';
import type { AccessReviewOptions } from './access-reviews.ts';
import type { ComponentProbe } from './component-statuses.ts';
import type { Kubelets } from './connect/kubelets.ts';
import type { OpenStorage } from './open-storage.ts';

/** What the built-in API is made with: the flags of the server, and what it is connected to. */
export interface BuiltinApiOptions extends AccessReviewOptions {
  /** Opens the store of one resource; called for every resource, so it must be cheap and lazy. */
  readonly openStorage: (options: OpenStorage) => Storage;
  readonly runtimeConfig?: RuntimeConfig;
  /** Which feature gates are open. Default: those of the release. */
  readonly openGate?: OpenGate;
  /** How objects are stored; either form is read. Default: JSON. */
  readonly storageMediaType?: StorageMediaType;
  /** `--service-cluster-ip-range`: one CIDR, or two of different families with a comma. */
  readonly serviceClusterIpRange?: string;
  /** `--service-node-port-range`, e.g. `30000-32767`. */
  readonly serviceNodePortRange?: string;
  /** Signs tokens of service accounts; undefined = `serviceaccounts/token` answers 501. */
  readonly tokenIssuer?: ServiceAccountTokenIssuer;
  /** `--allow-privileged`: containers may be privileged. Default: false. */
  readonly allowPrivileged?: boolean;
  /** `--event-ttl` in seconds. */
  readonly eventTtlSeconds?: number;
  /** What `componentstatuses` asks, by component. */
  readonly componentProbes?: Readonly<Record<string, ComponentProbe>>;
  /** How pods' streams and logs, and nodes, are reached. */
  readonly kubelets?: Kubelets;
}
