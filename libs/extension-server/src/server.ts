import type { AdmissionPlugin } from '@apichain/admission';
import {
  EtcdStorage,
  etcdOptions,
  GenericApiServer,
  groupVersionInstaller,
  installAdmission,
  run,
  serverConfig,
  type ResourceDefinition as StoredDefinition,
} from '@apichain/apiserver';
import { parseFlags, type ParsedFlags } from '@apichain/apiserver-options';
import { RestClient, type Transport } from '@apichain/client';
import {
  builtinKinds,
  builtinProtobuf,
  flowControlObjects,
  flowControlSource,
  knownFeatureGates,
} from '@apichain/kinds/model';
import { formatGroupVersion } from '@apichain/meta';
import { createLogger, type Logger } from '@apichain/request';
import { encodeOpenApiV2, encodeOpenApiV3 } from '@apichain/schema';
import { Registry } from 'prom-client';
import { apiGroupsOf } from './api-groups.ts';
import { coreApiOf } from './core-api/index.ts';
import { apiServerFlags } from './flags.ts';
import { LateTransport } from './late-transport.ts';
import { DefinitionOpenApi } from './openapi-source.ts';
import { ServerRegistration } from './registration/server-registration.ts';
import type { ResourceDefinition } from './resource/definition.ts';
import { openStore } from './store.ts';

/** Options of `createApiServer`. */
export interface ApiServerOptions {
  /** The name of the server: in logs, in the title of OpenAPI documents, and of what `--register` creates. A DNS label. */
  readonly name: string;
  /** One line for `--help`. */
  readonly summary?: string;
  readonly resources: readonly ResourceDefinition[];
  /** Admission plugins of the server. They run after those that the flags enable. */
  readonly admission?: (context: Pick<ApiServerContext, 'client' | 'core'>) => readonly AdmissionPlugin[];
  /** Called when the server has started, e.g. to run controllers. The server is ready when it has resolved. */
  readonly onStarted?: (context: ApiServerContext) => void | Promise<void>;
}

/** What a program gets of its server. */
export interface ApiServerContext {
  /** A client of this server with full permissions, without a connection. It may be used from the first request on. */
  readonly client: RestClient;
  /** A client of the core API, with the credentials of `--kubeconfig`. */
  readonly core: RestClient;
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
  /**
   * Starts the server in this process, e.g. in a test. `log` receives the lines of the log instead of standard error. Rejects with Error when the
   * flags are invalid or the port cannot be opened.
   */
  start(argv?: readonly string[], log?: (line: string) => void): Promise<RunningApiServer>;
}

/**
 * Makes an extension API server of resources: https://kubernetes.io/docs/tasks/extend-kubernetes/setup-extension-api-server/.
 * It has the endpoints, filters, admission, discovery and OpenAPI of kube-apiserver for these resources. It delegates authentication and
 * authorization to the core API. Starting it fails with Error for a definition that is invalid.
 */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { name, summary = `Serves ${options.resources.map(({ crd }) => crd.metadata.name ?? '').join(', ')}.` } =
    options;
  return {
    run: (argv = process.argv.slice(2)) =>
      run({ name, summary, definitions: apiServerFlags, build: (flags, stop) => build(options, flags, stop) }, argv),
    async start(argv = [], log = undefined) {
      const failure = Promise.withResolvers<never>();
      // A failure after `ready` has nobody to hear of it but the log.
      failure.promise.catch(() => undefined);
      const flags = parseFlags(apiServerFlags, argv);
      const server = await build(options, flags, failure.reject, log === undefined ? undefined : { write: log });
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

/** What was opened for a server, closed in the reverse order: after its shutdown, or when it cannot be built. */
class Opened {
  readonly #close: (() => Promise<void> | void)[] = [];

  add(close: () => Promise<void> | void): void {
    this.#close.unshift(close);
  }

  async close(): Promise<void> {
    for (const close of this.#close.splice(0)) await close();
  }
}

type LogDestination = Parameters<typeof createLogger>[2];

async function build(
  options: ApiServerOptions,
  flags: ParsedFlags,
  onFatal: (error: Error) => void,
  log?: LogDestination,
): Promise<GenericApiServer> {
  const opened = new Opened();
  try {
    const server = await assemble(options, flags, onFatal, createLogger(options.name, flags.number('v'), log), opened);
    server.addPostShutdownHook('close-connections', () => opened.close());
    return server;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function assemble(
  { name, resources, admission, onStarted }: ApiServerOptions,
  flags: ParsedFlags,
  onFatal: (error: Error) => void,
  logger: Logger,
  opened: Opened,
): Promise<GenericApiServer> {
  const metricsRegistry = new Registry();
  const store = await openStore(
    flags,
    resources.some(({ computed }) => computed === undefined),
  );
  const { embedded } = store ?? {};
  if (embedded !== undefined) opened.add(() => embedded.close());
  const etcd = store === undefined ? undefined : new EtcdStorage(etcdOptions(flags, store.servers), metricsRegistry);
  let attached = false;
  if (etcd !== undefined) opened.add(() => (attached ? undefined : etcd.close()));
  const groups = apiGroupsOf(resources, openStorage(etcd));
  await etcd?.prepare();
  const core = await coreApiOf(flags, { name, logger });
  opened.add(() => core.close());
  const registration = flags.bool('register')
    ? await ServerRegistration.open(
        {
          name,
          groupVersions: groups.flatMap(({ group, versions }) =>
            versions.map((version) => formatGroupVersion({ group, version })),
          ),
          client: core.client,
          apiServerUrl: core.url,
          kubeconfig: flags.string('kubeconfig') || undefined,
          dataDirectory: flags.string('data-dir') || undefined,
        },
        flags,
      )
    : undefined;
  if (registration !== undefined) opened.add(() => registration.close());
  const own = new LateTransport(() => server.loopback.connect(name));
  const client = new RestClient(own);
  const { chain, dynamic } = core.admission({ plugins: admission?.({ client, core: core.client }) ?? [] });
  const config = await serverConfig(withCertificate(flags, registration?.certificateFile), {
    name,
    access: core.access,
    installer: groupVersionInstaller({
      admission: chain,
      authorizer: core.access.authorization.authorizer,
      kinds: builtinKinds,
      protobuf: builtinProtobuf,
      minRequestTimeout: flags.number('min-request-timeout'),
      custom: true,
    }),
    protobuf: builtinProtobuf,
    featureGates: knownFeatureGates,
    logger,
    onFatal,
  });
  const server: GenericApiServer = new GenericApiServer({
    ...config,
    metricsRegistry,
    flowControl: etcd === undefined ? flowControlObjects(core.stores) : flowControlSource({ etcd, open: core.stores }),
  });
  for (const group of groups) server.installApiGroup(group);
  server.installOpenApi(new DefinitionOpenApi(name, resources, groups), {
    encodeV2: encodeOpenApiV2,
    encodeV3: encodeOpenApiV3,
  });
  installAdmission(server, [chain], dynamic);
  if (onStarted !== undefined)
    server.addPostStartHook(`${name}-started`, ({ signal }) =>
      onStarted({ client, core: core.client, signal, logger }),
    );
  if (registration !== undefined) registerWith(server, registration, flags.bool('unregister-on-exit'));
  server.addPreShutdownHook('close-own-client', () => own.close());
  etcd?.attach(server);
  attached = true;
  return server;
}

const openStorage =
  (etcd: EtcdStorage | undefined): StoredDefinition['openStorage'] =>
  ({ resource, ...open }) => {
    if (etcd === undefined) throw new Error('the server has no store');
    return etcd.open({ ...open, resource: { group: open.prefix.split('/')[1] ?? '', resource } });
  };

/** The flags with the certificate that was made for the server. */
const withCertificate = (flags: ParsedFlags, file: string | undefined): ParsedFlags =>
  file === undefined ? flags : flags.withStrings({ 'tls-cert-file': file, 'tls-private-key-file': file });

/** Registers the server when it listens; it is ready when the core API has answered. */
function registerWith(server: GenericApiServer, registration: ServerRegistration, unregisters: boolean): void {
  const { logger } = server.config;
  server.addPostStartHook('register', async ({ signal }) => {
    const port = Number(new URL(server.loopback.url).port);
    await registration.register(port, (line) => logger.info({ registration: line }, 'registered with the core API'));
    registration.run(logger, signal);
  });
  if (!unregisters) return;
  server.addPreShutdownHook('unregister', () =>
    registration.unregister((line) => logger.info({ registration: line }, 'unregistered from the core API')),
  );
}
