import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GroupVersion } from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import type { ResourceStorage } from './registry/rest.ts';

/** One API group as a server installs it: its versions and what each of them serves. */
export interface ApiGroupInfo {
  /** Empty for the core group, which lives under `/api`. */
  readonly group: string;
  /** Preferred version first; the order of discovery. */
  readonly versions: readonly string[];
  /** By version; a storage's `path` is `pods` or `pods/status`. */
  readonly storages: ReadonlyMap<string, readonly ResourceStorage[]>;
  readonly priorities?: GroupPriorities;
}

/** The group's priority: higher comes first. https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/api-service-v1/ */
export interface GroupPriorities {
  readonly groupPriorityMinimum: number;
  readonly versionPriority: Readonly<Record<string, number>>;
}

/** Serves every path below `/api/<version>/` or `/apis/<group>/<version>/` of one group-version. */
export interface GroupVersionHandler {
  /**
   * Answers the request. Writes errors itself where they need the client's media type; the server turns a thrown error into a Status.
   * Also receives connection upgrades: `takeUpgrade(request)` returns the socket.
   */
  handle(context: RequestContext, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends the handler's background work, e.g. when a CRD is deleted. */
  close?(): Promise<void> | void;
}

/** Makes the handler of a group-version; `createGroupVersionHandler` of installer.ts has this shape. */
export type GroupVersionInstaller = (
  groupVersion: GroupVersion,
  storages: readonly ResourceStorage[],
) => GroupVersionHandler;
