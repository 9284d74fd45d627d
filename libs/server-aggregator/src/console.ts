import { impersonator, type GenericApiServer, type ServerConfig } from '@apichain/apiserver';
import { FlagError, type ParsedFlags } from '@apichain/apiserver-options';
import type { Authenticator } from '@apichain/authn';
import { hasErrorCode } from '@apichain/meta';
import type { Filter, RequestObserver } from '@apichain/request';
import type { Sessions } from '@apichain/console';
import type { Worker } from '@apichain/workers';

/** The console of a server that does not exist yet: what the server needs for it. */
export interface Console {
  /** Keep the records of the last requests. */
  readonly observers: readonly RequestObserver[];
  /** The sessions of a server with this configuration. */
  sessionsOver(config: Pick<ServerConfig, 'authenticator' | 'tokens'>): ConsoleSessions;
}

/** The sessions of the console, and how it is opened. */
interface ConsoleSessions {
  /** Authenticates the requests of sessions, and asks that of the configuration about all other requests. */
  readonly authenticator: Authenticator;
  /** Refuses what sessions may not do. */
  readonly filter: Filter;
  /** Opens the port of the console and serves the path at which users get codes. Throws FlagError when the port is taken. */
  serve(server: GenericApiServer): Promise<void>;
}

/**
 * `--console-port`; undefined = no console, and nothing of it is loaded. Of several workers the first one has the port. Throws FlagError when the value
 * is not a port.
 */
export async function consoleOf(flags: ParsedFlags, worker: Worker | undefined): Promise<Console | undefined> {
  const port = flags.number('console-port');
  if (port === 0) return undefined;
  if (port < 0 || port > 65_535) throw new FlagError(`--console-port ${port} is not a port (1-65535)`);
  const {
    codesEndpoint,
    codesPath,
    consoleOfWorker,
    ConsoleServer,
    consoleUrl,
    loadAssets,
    RecentRequests,
    refuseNewCredentials,
    SessionAuthenticator,
    serveWorkers,
    Sessions,
  } = await import('@apichain/console');
  const sessions = new Sessions();
  const requests = new RecentRequests();
  const remote = worker?.leads === false ? consoleOfWorker(worker) : undefined;
  const assets = remote === undefined ? await loadAssets() : undefined;
  if (worker !== undefined && remote === undefined) serveWorkers(worker, sessions, requests.add);
  return {
    observers: [{ finished: remote?.record ?? requests.add }],
    sessionsOver: (config) => {
      const authenticator = new SessionAuthenticator(sessions, config.authenticator, config.tokens);
      return {
        authenticator,
        filter: refuseNewCredentials,
        serve: async (server) => {
          const invite = remote?.invite ?? ((identity: Parameters<Sessions['invite']>[0]) => sessions.invite(identity));
          const codes = codesEndpoint({ invite, authenticator, url: consoleUrl(port) });
          server.paths.handle(codesPath, codes, false);
          if (assets === undefined) return;
          const { authorizer, features } = server.config;
          const impersonate = impersonator(authorizer, features?.isOpen('ConstrainedImpersonation') !== false);
          const access = { sessions, authenticator, authorizer, impersonate };
          const listener = new ConsoleServer({ port, api: server.furtherPort, assets, requests, ...access });
          await listener.listen().catch((error: unknown) => {
            if (!hasErrorCode(error, 'EADDRINUSE')) throw error;
            throw new FlagError(`--console-port: port ${port} of 127.0.0.1 is in use`);
          });
          server.addPreShutdownHook('close-console', () => listener.close());
        },
      };
    },
  };
}
