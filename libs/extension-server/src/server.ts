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
import { checkFlagsWithoutEffectOfExtensionServer, parseFlags, type ParsedFlags } from '@apichain/apiserver-options';
import { RestClient, type Transport, type TransportRequest, type TransportResponse } from '@apichain/client';
import {
  builtinKinds,
  builtinProtobuf,
  flowControlObjects,
  flowControlSource,
  knownFeatureGates,
  openGates,
} from '@apichain/kinds/model';
import { formatGroupVersion } from '@apichain/meta';
import { createLogger, type Logger } from '@apichain/request';
import { encodeOpenApiV2, encodeOpenApiV3 } from '@apichain/schema';
import { Registry } from 'prom-client';
import { apiGroupsOf } from './api-groups.ts';
import { coreApiOf } from './core-api/index.ts';
import { apiServerFlags } from './flags.ts';
import { DefinitionOpenApi, resourcesRevision } from './openapi-source.ts';
import { ServerRegistration } from './registration/server-registration.ts';
import type { ResourceDefinition } from './resource/definition.ts';
import { withReportedErrors, withReportedPluginErrors, type ReportError } from './resource/reported-errors.ts';
import { openStore } from './store.ts';

/** A transport that is opened with its first request, for parts that are made before the server they call. */
class LateTransport implements Transport {
  readonly #open: () => Transport;
  #transport: Transport | undefined;

  constructor(open: () => Transport) {
    this.#open = open;
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    this.#transport ??= this.#open();
    return this.#transport.send(request);
  }

  async close(): Promise<void> {
    await this.#transport?.close();
  }
}

/** Options of `createApiServer`. */
export interface ApiServerOptions {
  /** The name of the server: in logs, in the title of OpenAPI documents, and of what `--register` creates. A DNS label. */
  readonly name: string;
  /** One line for `--help`. */
  readonly summary?: string;
  /** The resources, or a function that makes them with clients. They may use the clients as soon as the server serves requests. */
  readonly resources: readonly ResourceDefinition[] | ((clients: ApiServerClients) => readonly ResourceDefinition[]);
  /** Admission plugins of the server. They run after those that the flags enable. */
  readonly admission?: (clients: ApiServerClients) => readonly AdmissionPlugin[];
  /** Called when the server has started, e.g. to run controllers. The server is ready when it has resolved. */
  readonly onStarted?: (context: ApiServerContext) => void | Promise<void>;
}

/** The clients that a program gets of its server. */
export interface ApiServerClients {
  /** A client of this server with full permissions, without a connection. It may be used from the first request on. */
  readonly client: RestClient;
  /** A client of the core API, with the credentials of `--kubeconfig`. */
  readonly core: RestClient;
}

/** What a program gets of its server. */
export interface ApiServerContext extends ApiServerClients {
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

/** Options of `ApiServer.start`. */
export interface StartOptions {
  /** Is called with every line of the log, as JSON. Default: the log goes to standard error. */
  readonly log?: (line: string) => void;
}

/** An API server made of definitions of resources. */
export interface ApiServer {
  /**
   * The main function of a program: reads flags, serves until SIGTERM or SIGINT and shuts down gracefully. Resolves with the exit code. If the
   * start fails, one line is written to standard error and the code is 1.
   */
  run(argv?: readonly string[]): Promise<number>;
  /** Starts the server in this process, e.g. in a test. Rejects with Error when the flags are invalid or the port cannot be opened. */
  start(argv?: readonly string[], options?: StartOptions): Promise<RunningApiServer>;
}

/**
 * Makes an extension API server of resources: https://kubernetes.io/docs/tasks/extend-kubernetes/setup-extension-api-server/.
 * It has the endpoints, filters, admission, discovery and OpenAPI of kube-apiserver for these resources. It delegates authentication and
 * authorization to the core API. Starting it fails with Error for a definition that is invalid.
 */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { name, resources, summary = summaryOf(name, resources) } = options;
  return {
    run: (argv = process.argv.slice(2)) =>
      run({ name, summary, definitions: apiServerFlags, build: (flags, stop) => build(options, flags, stop) }, argv),
    async start(argv = [], { log } = {}) {
      const failure = Promise.withResolvers<never>();
      // A failure after `ready` has nobody to hear of it but the log.
      failure.promise.catch(() => undefined);
      const server = await build(options, parseFlags(apiServerFlags, argv), failure.reject, log);
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

const summaryOf = (name: string, resources: ApiServerOptions['resources']): string =>
  typeof resources === 'function'
    ? `The API server ${name}.`
    : `Serves ${resources.map(({ crd }) => crd.metadata.name ?? '').join(', ')}.`;

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

async function build(
  options: ApiServerOptions,
  flags: ParsedFlags,
  onFatal: (error: Error) => void,
  log?: StartOptions['log'],
): Promise<GenericApiServer> {
  const opened = new Opened();
  try {
    const server = await assemble(options, flags, { onFatal, opened, logger: loggerOf(options.name, flags, log) });
    server.addPostShutdownHook('close-connections', () => opened.close());
    return server;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

const loggerOf = (name: string, flags: ParsedFlags, log: StartOptions['log']): Logger =>
  createLogger(name, flags.number('v'), log === undefined ? undefined : { write: log });

async function assemble(
  { name, admission, onStarted, ...options }: ApiServerOptions,
  flags: ParsedFlags,
  {
    onFatal,
    opened,
    logger,
  }: { readonly onFatal: (error: Error) => void; readonly opened: Opened; readonly logger: Logger },
): Promise<GenericApiServer> {
  checkFlagsWithoutEffectOfExtensionServer(flags);
  const metricsRegistry = new Registry();
  const own = new LateTransport(() => server.loopback.connect(name));
  const clients = { client: new RestClient(own), core: new RestClient(new LateTransport(() => core.transport)) };
  const report: ReportError = (error, what) => logger.error({ err: error }, `${what} failed`);
  const given = typeof options.resources === 'function' ? options.resources(clients) : options.resources;
  const resources = given.map((resource) => withReportedErrors(resource, report));
  const store = await openStore(
    flags,
    resources.some(({ computed }) => computed === undefined),
  );
  const { embedded } = store ?? {};
  if (embedded !== undefined) opened.add(() => embedded.close());
  const etcd = store === undefined ? undefined : new EtcdStorage(etcdOptions(flags, store), metricsRegistry);
  let attached = false;
  if (etcd !== undefined) opened.add(() => (attached ? undefined : etcd.close()));
  const groups = apiGroupsOf(resources, openStorage(etcd));
  await etcd?.prepare();
  const core = await coreApiOf(flags, { name, logger, metrics: metricsRegistry });
  opened.add(() => core.close());
  const registration = flags.bool('register')
    ? await ServerRegistration.open(
        {
          name,
          groupVersions: groups.flatMap(({ group, versions }) =>
            versions.map((version) => formatGroupVersion({ group, version })),
          ),
          revision: resourcesRevision(resources, groups),
          client: core.client,
          apiServerUrl: core.url,
          kubeconfig: flags.string('kubeconfig') || undefined,
          dataDirectory: flags.string('data-dir') || undefined,
        },
        flags,
      )
    : undefined;
  if (registration !== undefined) opened.add(() => registration.close());
  const { chain, dynamic } = core.admission({
    plugins: withReportedPluginErrors(admission?.(clients) ?? [], report),
  });
  const config = await serverConfig(withCertificate(flags, registration?.certificateFile), {
    name,
    access: core.access,
    installer: groupVersionInstaller({
      admission: chain,
      authorizer: core.access.authorization.authorizer,
      kinds: builtinKinds,
      protobuf: builtinProtobuf,
      minRequestTimeoutSeconds: flags.number('min-request-timeout'),
      custom: true,
    }),
    protobuf: builtinProtobuf,
    featureGates: { known: knownFeatureGates, open: openGates },
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
    server.addPostStartHook(`${name}-started`, ({ signal }) => onStarted({ ...clients, signal, logger }));
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

/** Registers the server when it listens; it is ready when the core API has responded. */
function registerWith(server: GenericApiServer, registration: ServerRegistration, unregisters: boolean): void {
  const { logger } = server.config;
  let registered: Promise<unknown> = Promise.resolve();
  server.addPostStartHook('register', async ({ signal }) => {
    const port = Number(new URL(server.loopback.url).port);
    const registering = registration.register(port, (line) =>
      logger.info({ registration: line }, 'registered with the core API'),
    );
    registered = Promise.allSettled([registering]);
    await registering;
    if (!signal.aborted) registration.run(logger, signal);
  });
  if (!unregisters) return;
  server.addPreShutdownHook('unregister', async () => {
    // What is still being registered would remain.
    await registered;
    await registration.unregister((line) => logger.info({ registration: line }, 'unregistered from the core API'));
  });
}
