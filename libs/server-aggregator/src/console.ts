import type { GenericApiServer } from '@apichain/apiserver';
import { FlagError, type ParsedFlags } from '@apichain/apiserver-options';
import type { Authenticator } from '@apichain/authn';
import { hasErrorCode } from '@apichain/meta';
import {
  newMethodNotAllowed,
  writeRawJson,
  writeStatusError,
  type PathHandler,
  type RequestObserver,
} from '@apichain/request';

/** The console of a server that does not exist yet: what the server needs for it, and how it is opened. */
export interface Console {
  /** Keep the records of the last requests. */
  readonly observers: readonly RequestObserver[];
  /** Authenticates the requests of sessions, and asks `others` about all other requests. */
  authenticatorBefore(others: Authenticator): Authenticator;
  /** Opens the port of the console and serves `/console/codes`. Throws FlagError when the port is taken. */
  serve(server: GenericApiServer): Promise<void>;
}

/** `--console-port`; undefined = no console, and nothing of it is loaded. Throws FlagError when the value is not a port. */
export async function consoleOf(flags: ParsedFlags): Promise<Console | undefined> {
  const port = flags.number('console-port');
  if (port === 0) return undefined;
  if (port < 0 || port > 65_535) throw new FlagError(`--console-port ${port} is not a port (1-65535)`);
  const { ConsoleServer, loadAssets, RecentRequests, SessionAuthenticator, Sessions } =
    await import('@apichain/console');
  const sessions = new Sessions();
  const requests = new RecentRequests();
  const assets = await loadAssets();
  return {
    observers: [{ finished: requests.add }],
    authenticatorBefore: (others) => new SessionAuthenticator(sessions, others),
    serve: async (server) => {
      const { tokens, authorizer } = server.config;
      const api = server.furtherPort;
      const listener = new ConsoleServer({ port, assets, sessions, api, tokens, authorizer, requests });
      await listener.listen().catch((error: unknown) => {
        if (!hasErrorCode(error, 'EADDRINUSE')) throw error;
        throw new FlagError(`--console-port: port ${port} of 127.0.0.1 is in use`);
      });
      server.addPreShutdownHook('close-console', () => listener.close());
      const invite: PathHandler = ({ user }, request, response) => {
        if (request.method !== 'POST') {
          writeStatusError(request, response, newMethodNotAllowed());
          return;
        }
        const { code, expiresAt } = sessions.invite({ user });
        response.setHeader('Cache-Control', 'no-store');
        writeRawJson(response, 201, { url: `${listener.url}#code=${code}`, expiresAt });
      };
      server.paths.handle('/console/codes', invite, false);
    },
  };
}
