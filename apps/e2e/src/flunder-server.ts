import { createApiServer, defineResource, Type, type RunningApiServer } from '@apichain/extension-server';

const flunders = defineResource({
  ...{ group: 'wardle.example.com', version: 'v1', kind: 'Flunder', plural: 'flunders', scope: 'Namespaced' },
  schema: Type.Object({ color: Type.Optional(Type.String()) }),
});

/** An extension API server in this process. */
export interface FlunderServer extends Pick<RunningApiServer, 'url' | 'ready' | 'close'> {
  readonly port: number;
  /** The lines of its log. */
  readonly log: readonly string[];
}

/** Starts an extension API server of flunders, in memory, with the access and the admission of the core API. Resolves when it listens. */
export async function startFlunderServer(argv: readonly string[]): Promise<FlunderServer> {
  const log: string[] = [];
  const server = createApiServer({ name: 'wardle', resources: [flunders] });
  const flags = ['--memory', '--bind-address=127.0.0.1', '--secure-port=0', ...argv];
  const running = await server.start(flags, { log: (line) => log.push(line) });
  return { ...running, log, port: Number(new URL(running.url).port) };
}
