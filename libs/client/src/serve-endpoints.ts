import { createServer } from 'node:http';
import { errorMessage } from '@apichain/meta';

/** An address to listen on. */
export interface BindAddress {
  /** Undefined: all addresses of the machine. */
  readonly host: string | undefined;
  readonly port: number;
}

const form = /^(?:\[(?<six>[^\]]*)\]|(?<host>[^:]*)):(?<port>\d{1,5})$/;

/** Parses `127.0.0.1:8081`, `:8081` or `[::1]:8081`. Undefined when the text is none of them. */
export function parseBindAddress(text: string): BindAddress | undefined {
  const { six, host = six, port } = form.exec(text)?.groups ?? {};
  const number = Number(port);
  if (port === undefined || number > 65_535) return undefined;
  return { host: host === '' ? undefined : host, port: number };
}

/** What an endpoint responds with. */
export interface EndpointResponse {
  readonly code: number;
  readonly text: string;
  /** Default: plain text. */
  readonly contentType?: string;
}

/** The response to a GET of a path. One that throws is a response of 500 with the message of the error. */
export type Endpoint = () => EndpointResponse | Promise<EndpointResponse>;

/** A server of health checks or metrics. */
export interface EndpointServer {
  readonly port: number;
  close(): void;
}

/**
 * Serves endpoints, such as health checks and metrics, by their path over plain HTTP. Does not keep the process alive. Rejects with Node's error when the
 * address cannot be listened on.
 */
export function serveEndpoints(
  address: BindAddress,
  endpoints: Readonly<Record<string, Endpoint>>,
): Promise<EndpointServer> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    void responseTo(request.method, request.url, endpoints).then(({ code, text, contentType }) => {
      response.writeHead(code, { 'Content-Type': contentType ?? 'text/plain; charset=utf-8', Connection: 'close' });
      response.end(text);
    });
  });
  server.maxConnections = 64;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      const bound = server.address();
      server.unref();
      resolve({
        port: typeof bound === 'object' && bound !== null ? bound.port : address.port,
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}

async function responseTo(
  method = '',
  url = '',
  endpoints: Readonly<Record<string, Endpoint>>,
): Promise<EndpointResponse> {
  if (method !== 'GET' && method !== 'HEAD') return { code: 405, text: 'method not allowed' };
  const [path = ''] = url.split('?');
  const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
  if (endpoint === undefined) return { code: 404, text: 'not found' };
  try {
    return await endpoint();
  } catch (error) {
    return { code: 500, text: errorMessage(error) };
  }
}
