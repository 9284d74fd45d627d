import type { AdmissionPlugin } from '@apichain/admission';
import { AdmissionChain } from '@apichain/admission';
import {
  EtcdStorage,
  etcdOptions,
  GenericApiServer,
  groupVersionInstaller,
  run,
  serverConfig,
  type ResourceDefinition as StoredDefinition,
} from '@apichain/apiserver';
import { parseFlags, serviceFlags, type FlagDefinition, type ParsedFlags } from '@apichain/apiserver-options';
import { RestClient, type Transport } from '@apichain/client';
import type { Logger } from '@apichain/request';
import { builtinKinds, builtinProtobuf, knownFeatureGates } from '@apichain/kinds/model';
import { encodeOpenApiV2, encodeOpenApiV3 } from '@apichain/schema';
import { Registry } from 'prom-client';
import { apiGroupsOf } from './api-groups.ts';
import { DefinitionOpenApi } from './openapi-source.ts';
import type { ResourceDefinition } from './resource/definition.ts';
import { LateTransport } from './late-transport.ts';
import { openStore, storeFlags } from './store.ts';

/** Options of `createApiServer`. */
export interface ApiServerOptions {
  /** The name of the server: in logs, in the title of OpenAPI documents, and of what `--register` creates. A DNS label. */
  readonly name: string;
  /** One line for `--help`. */
  readonly summary?: string;
  readonly resources: readonly ResourceDefinition[];
  /** Admission plugins of the server. They run after those that the flags enable. */
  readonly admission?: (context: Pick<ApiServerContext, 'client'>) => readonly AdmissionPlugin[];
  /** Called when the server has started, e.g. to run controllers. The server is ready when it has resolved. */
  readonly onStarted?: (context: ApiServerContext) => void | Promise<void>;
}

/** What a program gets of its server. */
export interface ApiServerContext {
  /** A client of this server with full permissions, without a connection. It may be used from the first request on. */
  readonly client: RestClient;
  /** Aborts when the server shuts down. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** A server that runs in this process. */
export interface RunningApiServer {
  /** `https://HOST:PORT` */
  readonly url: string;
  /** Resolves when the server is ready. Rejects with the error that ended it before. */
  ready(): Promise<void>;
  /** A transport to the server without a connection, with full permissions. The caller closes it. */
  connect(userAgent?: string): Transport;
  /** Completes requests in progress, ends watches and closes the store. */
  close(): Promise<void>;
}

/** An API server made of definitions of resources. */
export interface ApiServer {
  /**
   * The main function of a program: reads flags, serves until SIGTERM or SIGINT and shuts down gracefully. Resolves with the exit code. If the
   * start fails, one line is written to standard error and the code is 1.
   */
  run(argv?: readonly string[]): Promise<number>;
  /** Starts the server in this process, e.g. in a test. Rejects with Error when the flags are invalid or the port cannot be opened. */
  start(argv?: readonly string[]): Promise<RunningApiServer>;
}

/**
 * Makes an extension API server (or a stand-alone one) of resources: https://kubernetes.io/docs/tasks/extend-kubernetes/setup-extension-api-server/.
 * It has the endpoints, filters, admission, discovery and OpenAPI of kube-apiserver, for these resources. Throws Error for a definition
 * that is invalid.
 */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const definitions = apiServerFlags;
  const { name, summary = `Serves ${options.resources.map(({ crd }) => crd.metadata.name ?? '').join(', ')}.` } =
    options;
  return {
    run: (argv = process.argv.slice(2)) =>
      run({ name, summary, definitions, build: (flags, stop) => buildServer(options, flags, stop) }, argv),
    async start(argv = []) {
      const failure = Promise.withResolvers<never>();
      const server = await buildServer(options, parseFlags(definitions, argv), (error) => failure.reject(error));
      const { port } = await server.listen();
      return {
        url: `https://127.0.0.1:${port}`,
        ready: () => Promise.race([server.started, failure.promise]),
        connect: (userAgent) => server.loopback.connect(userAgent),
        close: () => server.shutdown(),
      };
    },
  };
}

/** Every flag of an extension API server. */
const apiServerFlags: readonly FlagDefinition[] = serviceFlags(storeFlags);

async function buildServer(
  { name, resources, admission, onStarted }: ApiServerOptions,
  flags: ParsedFlags,
  onFatal: (error: Error) => void,
): Promise<GenericApiServer> {
  const store = await openStore(
    flags,
    resources.some(({ computed }) => computed === undefined),
  );
  try {
    const metricsRegistry = new Registry();
    const etcd = store === undefined ? undefined : new EtcdStorage(etcdOptions(flags, store.servers), metricsRegistry);
    await etcd?.prepare();
    const config = await serverConfig(flags, {
      name,
      isFirst: true,
      installer: () => {
        throw new Error('the installer is made below');
      },
      stores: () => undefined,
      reachesAccounts: false,
      protobuf: builtinProtobuf,
      featureGates: knownFeatureGates,
      onFatal,
    });
    const own = new LateTransport(() => server.loopback.connect(name));
    const client = new RestClient(own);
    const chain = new AdmissionChain(admission?.({ client }) ?? []);
    const server: GenericApiServer = new GenericApiServer({
      ...config,
      metricsRegistry,
      installer: groupVersionInstaller({
        admission: chain,
        authorizer: config.authorizer,
        kinds: builtinKinds,
        protobuf: builtinProtobuf,
        minRequestTimeout: config.limits.minRequestTimeoutMs / 1000,
        custom: true,
      }),
    });
    const openStorage: StoredDefinition['openStorage'] = ({ resource, ...open }) => {
      if (etcd === undefined) throw new Error('the server has no store');
      return etcd.open({ ...open, resource: { group: open.prefix.split('/')[1] ?? '', resource } });
    };
    const groups = apiGroupsOf(resources, openStorage);
    for (const group of groups) server.installApiGroup(group);
    server.installOpenApi(new DefinitionOpenApi(name, resources, groups), {
      encodeV2: encodeOpenApiV2,
      encodeV3: encodeOpenApiV3,
    });
    if (onStarted !== undefined)
      server.addPostStartHook(`${name}-started`, ({ signal, logger }) => onStarted({ client, signal, logger }));
    server.addPreShutdownHook('close-own-client', () => own.close());
    etcd?.attach(server);
    const { embedded } = store ?? {};
    if (embedded !== undefined) server.addPostShutdownHook('close-embedded-etcd', () => embedded.close());
    return server;
  } catch (error) {
    await store?.embedded?.close();
    throw error;
  }
}
