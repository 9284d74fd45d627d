import { RestClient } from '@apichain/client';
import { CoreServer } from './core-server.fixture.ts';
import { createApiServer, type ApiServerOptions, type RunningApiServer } from './server.ts';

/** The flags of a server for tests, whose core API is `core`. */
export const flagsOf = ({ kubeconfig }: CoreServer, ...more: readonly string[]): string[] => [
  ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${kubeconfig}`),
  ...['--authentication-skip-lookup', '--bind-address=127.0.0.1', '--secure-port=0'],
  ...more,
];

/** A server of resources for the tests of a suite, with its store in memory, and a client with full permissions. */
export class TestApiServer {
  #core: CoreServer | undefined;
  #running: RunningApiServer | undefined;
  #client: RestClient | undefined;

  constructor(options: Omit<ApiServerOptions, 'name'>) {
    before(async () => {
      this.#core = await CoreServer.start();
      const server = createApiServer({ name: 'test', ...options });
      this.#running = await server.start(flagsOf(this.#core, '--memory'), { log: () => undefined });
      this.#client = new RestClient(this.#running.connect('test'));
      await this.#running.ready();
    });
    after(async () => {
      await this.#client?.close();
      await this.#running?.close();
      this.#core?.close();
    });
  }

  /** The body of the response to a GET. */
  async text(path: string): Promise<string> {
    return (await this.#get(path)).text;
  }

  /** The header `Warning` of the response to a GET. */
  async warning(path: string): Promise<string | undefined> {
    const [warning] = [(await this.#get(path)).headers['warning']].flat();
    return warning;
  }

  async #get(path: string) {
    const transport = this.#running?.connect('test');
    if (transport === undefined) throw new Error('the server is there from the first test on');
    const { headers, body } = await transport.send({ method: 'GET', path });
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    await transport.close();
    return { headers, text: Buffer.concat(chunks).toString() };
  }

  get client(): RestClient {
    if (this.#client === undefined) throw new Error('the client is there from the first test on');
    return this.#client;
  }
}
