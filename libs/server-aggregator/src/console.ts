import type { GenericApiServer, ServerConfig } from '@apichain/apiserver';
import { FlagError, type ParsedFlags } from '@apichain/apiserver-options';
import type { Authenticator } from '@apichain/authn';
import { hasErrorCode } from '@apichain/meta';
import { newMethodNotAllowed, scopeOf, writeRawJson, writeStatusError } from '@apichain/request';

/** The console of a server that does not exist yet: the authenticator that the server needs for it, and how it is opened. */
export interface Console {
  readonly authenticator: Authenticator;
  /** Opens the port of the console and serves `/console/codes`. Throws FlagError when the port is taken. */
  serveWith(server: GenericApiServer): Promise<void>;
}

const codesPath = '/console/codes';

/** `--console-port`; undefined = no console, and nothing of it is loaded. Throws FlagError when the value is not a port. */
export async function consoleOf(flags: ParsedFlags, config: ServerConfig): Promise<Console | undefined> {
  const port = flags.number('console-port');
  if (port === 0) return undefined;
  if (port < 0 || port > 65_535) throw new FlagError(`--console-port ${port} is not a port (1-65535)`);
  const { ConsoleServer, loadAssets, SessionAuthenticator, Sessions } = await import('@apichain/console');
  const sessions = new Sessions();
  const assets = await loadAssets();
  return {
    authenticator: new SessionAuthenticator(sessions, config.authenticator),
    serveWith: async (server) => {
      const { tokens, authorizer } = config;
      const { furtherPort: api, recentRequests: requests } = server;
      const listener = new ConsoleServer({ port, assets, sessions, api, tokens, authorizer, requests });
      await listener.listen().catch((error: unknown) => {
        if (!hasErrorCode(error, 'EADDRINUSE')) throw error;
        throw new FlagError(`--console-port: port ${port} of 127.0.0.1 is in use`);
      });
      server.addPreShutdownHook('close-console', () => listener.close());
      server.paths.handle(
        codesPath,
        ({ user }, request, response) => {
          if (request.method !== 'POST') {
            writeStatusError(request, response, newMethodNotAllowed());
            return;
          }
          const { code, expiresAt } = sessions.invite({ user });
          scopeOf(request).response.setHeader('Cache-Control', 'no-store');
          writeRawJson(response, 201, { url: `${listener.url}#code=${code}`, expiresAt });
        },
        false,
      );
    },
  };
}
